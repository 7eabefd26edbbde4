"""``crosstable app serve``: a local look at the browser application."""

import argparse
import os
import sys

from crosstable.cli.options import Parser, add_command, add_commands, command_parser, option
from crosstable.errors import RefusedError

FOLDER = os.path.join("dist", "app")
WORKER = "worker.js"
TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".bin": "application/octet-stream"}


def parser() -> Parser:
    """What ``crosstable app`` takes."""
    made = command_parser("app", description="The browser application: a folder of files that needs no server.")
    one = add_command(add_commands(made), "serve", "serve the folder on this machine, for a look", _serve)
    words = f"the folder that make app has made (default: {FOLDER}, here or where the program lies)"
    option(one, "folder FOLDER", words, nargs="?", default="")
    one.add_argument("--port", type=int, default=8080, help="the port (default: %(default)s)")
    return made


def _serve(options: argparse.Namespace) -> None:
    """Serve the browser application on this machine.

    Any web server does the same; put the folder on a club's web space as it is.
    """
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Handler(SimpleHTTPRequestHandler):
        extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

        def log_message(self, *_: object) -> None:
            """Nothing of what a visitor does is written down."""

    folder = folder_of(options.folder)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), partial(Handler, directory=folder))
    except OSError as error:
        raise RefusedError(
            f"port {options.port} cannot be used: {error.strerror}; choose another with --port"
        ) from error
    with server:
        port = server.server_address[1]
        sys.stdout.write(f"The browser application is at http://127.0.0.1:{port}/ (Ctrl+C ends it).\n")
        sys.stdout.flush()
        server.serve_forever()


def folder_of(given: str) -> str:
    """The folder with the application; one that is not there is refused with the line that makes it."""
    beside = os.path.join(os.path.dirname(__file__), *[os.pardir] * 3, FOLDER)
    for folder in (given,) if given else (FOLDER, beside):
        if os.path.isfile(os.path.join(folder, WORKER)):
            return os.path.normpath(folder)
    where = given or FOLDER
    remedy = "unpack crosstable-app.zip of the release there, or type make app in the source folder"
    raise RefusedError(f"{where} has no browser application; {remedy}")
