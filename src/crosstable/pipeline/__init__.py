"""From a file to ratings, composed once: read → complete → check → rate → plausibility, and the documents of it.

``reading.read`` makes a ``Report`` of whatever holds an event; ``rating.rate`` completes, checks and rates it and keeps
every finding with its section; ``documents`` writes the JSON formats. The command line, the site, the API, an office's
previews and the public library call these and compose nothing themselves. Sees formats, checks, verify and below.
"""
