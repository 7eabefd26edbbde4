"""The site in a real browser: Debian's Chromium, driven by Playwright, on a server in a process of its own."""
