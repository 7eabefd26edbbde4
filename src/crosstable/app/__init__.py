"""The pages that need no office: what they show and how, for the site and for the browser, where no server answers."""
