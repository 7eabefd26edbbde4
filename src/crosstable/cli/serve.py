"""``crosstable serve``: the site and the API of an office, on this machine; ``app serve``: the browser application."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext

from crosstable.cli.options import Parser, add_command, add_commands, command_parser, flag, option, several, take
from crosstable.errors import OfficeError, RefusedError

APPLICATION = "crosstable.web.app:from_environment"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
GRACE_SECONDS = 30
# A process that says nothing for so long is replaced; on a busy machine five seconds (uvicorn's) are nothing.
HUNG_SECONDS = 30
# So often it is looked whether the worker lives, in seconds.
WATCH_WORKER = 2.0
IN_CLEAR = (
    "Warning: passwords travel unencrypted. Put a proxy with HTTPS in front and say so (--behind-proxy or "
    "--trusted-proxy); see the hosting guide."
)

FOLDER = os.path.join("dist", "app")
WORKER = "worker.js"
TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".bin": "application/octet-stream"}


def parser() -> Parser:
    """What the command takes."""
    made = command_parser("serve", _run)
    flag(made, "--demo", "make a demonstration office and serve it")
    take(made, "--database")
    made.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    made.add_argument("--port", type=int, default=8000, help="the port (default: %(default)s)")
    words = "processes that answer requests; jobs have a worker of their own (default: %(default)s)"
    option(made, "--workers N", words, type=int, default=1)
    several(made, "--name HOST", "another name under which the site is reached (repeatable)")
    words = "a proxy on this machine forwards requests: trust its X-Forwarded-For and X-Forwarded-Proto"
    flag(made, "--behind-proxy", words)
    words = "the same for a proxy on another machine or in another container: its address or network (repeatable)"
    several(made, "--trusted-proxy ADDRESS", words)
    words = "who may read /metrics beside this machine: an address or network (repeatable)"
    several(made, "--metrics-from ADDRESS", words)
    words = "the form of the log: text or json (default: %(default)s)"
    option(made, "--log FORM", words, choices=("text", "json"), default="text")
    flag(made, "--access-log", "log every request")
    flag(made, "--no-worker", "start no worker for jobs: others do them (crosstable office worker)")
    made.set_defaults(counts_file="")  # where several workers count calls together
    return made


def _run(options: argparse.Namespace) -> None:
    """Serve the site and the API of an office.

    With --demo, first unpack an invented federation, into a temporary file unless --database names one.
    """
    from crosstable.cli.office_access import database_of

    with clearing_up(), tempfile.TemporaryDirectory(prefix="crosstable-demo-") as folder:
        address = database_of(options)
        if options.demo:
            address = options.database or os.path.join(folder, "office.db")
        _require_networks(options)
        _require_mail()
        _prepare(address, options)
        if refused := why_not(address, options.host):
            raise RefusedError(refused)
        if options.workers > 1:  # they put their figures together there, and look before anything is imported
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = figures = os.path.join(folder, "figures")
            os.mkdir(figures)
            if sys.platform != "win32":  # there each worker counts for itself
                options.counts_file = os.path.join(folder, "counts")
        try:
            with nullcontext() if options.no_worker else working(address, options.log):
                _serve(address, options)
        finally:
            os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)


@contextmanager
def clearing_up() -> Iterator[None]:
    """SIGTERM ends this process as Ctrl-C does, with the worker and the temporary files gone.

    Uvicorn answers what is open, and then sends itself the signal again, which alone would end the process on the spot.
    """
    if threading.current_thread() is not threading.main_thread():  # only there may a signal be taken
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def working(address: str, log: str = "text") -> Iterator[None]:
    """A worker for the jobs of an office, in a process of its own: pages stay quick while a run is made.

    One that ends is started again, and all end with this process.
    """
    command = [sys.executable, "-m", "crosstable", "office", "worker", "--database", address, "--log", log]
    environment = {**os.environ, "CROSSTABLE_PARENT": str(os.getpid())}
    over, started = threading.Event(), [subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)]

    def keep() -> None:
        while not over.wait(WATCH_WORKER):
            if started[0].poll() is not None:
                started[0] = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)

    keeper = threading.Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()
        started[0].terminate()
        try:
            started[0].wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            started[0].kill()  # what it was doing is rolled back, and done again
            started[0].wait()


def _require_networks(options: argparse.Namespace) -> None:
    """Addresses and networks are ones, before anything is started."""
    import ipaddress

    for given in (*options.trusted_proxy, *options.metrics_from):
        try:
            ipaddress.ip_network(given, strict=False)
        except ValueError:
            raise RefusedError(f"{given!r} is no address and no network (10.0.0.5, or 10.0.0.0/24)") from None


def _require_mail() -> None:
    """Mail is configured completely, or not at all."""
    from crosstable.office.mail_server import mail_server

    try:
        mail_server()
    except OfficeError as error:
        raise RefusedError(str(error)) from None


def _prepare(address: str, options: argparse.Namespace) -> None:
    """The office must be there before a worker opens it."""
    from crosstable.office.database import Office, open_office

    if options.demo and options.host not in LOOPBACK:
        raise RefusedError("everybody knows the passwords of the demonstration; serve it on 127.0.0.1")
    if options.demo and not Office(address).store.is_there():
        from crosstable.office.demonstration import make_demo

        if "://" in address:
            raise RefusedError("the demonstration is kept in a file; name one, or leave --database out")
        make_demo(address)
    open_office(address).close()


def why_not(address: str, host: str) -> str:
    """Why the site may not listen there: without anybody who can sign in, it stays on this machine."""
    if host in LOOPBACK or _has_accounts(address):
        return ""
    return (
        f"other machines can reach {host}, and nobody is set up to sign in; add the first user on this machine "
        "(crosstable office users add NAME), or serve 127.0.0.1"
    )


def _has_accounts(address: str) -> bool:
    from crosstable.office.accounts import has_accounts
    from crosstable.office.database import open_office

    with closing(open_office(address)) as office:
        return has_accounts(office)


def machine_link(address: str, site: str) -> str:
    """The link by which the person at this machine comes in, once; nothing where accounts do that."""
    from crosstable.office.credentials import make_link
    from crosstable.office.database import open_office

    if _has_accounts(address):
        return ""
    with closing(open_office(address)) as office:
        return f"{site}machine/{make_link(office)}"


def _serve(address: str, options: argparse.Namespace) -> None:
    import uvicorn

    hand_over(address, options)
    proxies = (*(("127.0.0.1", "::1") if options.behind_proxy else ()), *options.trusted_proxy)
    site = f"http://{_shown_host(options.host)}:{options.port}/"
    sys.stderr.write(f"Serving {site} (stop with Ctrl-C)\n")
    if link := machine_link(address, site):
        sys.stderr.write(f"To make changes, open this link. It works once, within half an hour:\n  {link}\n")
    if options.host not in LOOPBACK and not proxies:
        sys.stderr.write(f"{IN_CLEAR}\n")
    sys.stderr.flush()
    # uvloop and httptools are asked for by name: on the plain loop several workers lose TCP_NODELAY, and every
    # reply on a kept connection then waits 40 ms.
    uvicorn.run(
        APPLICATION,
        factory=True,
        host=options.host,
        port=options.port,
        workers=options.workers,
        loop="asyncio" if sys.platform == "win32" else "uvloop",  # uvloop is not made for Windows
        http="httptools",
        log_config=None,  # every worker says how it logs
        access_log=False,
        # what is being answered is answered; a page that takes longer is cut off
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_worker_healthcheck=HUNG_SECONDS,
        server_header=False,
        date_header=True,
        # anybody on this machine could otherwise claim to be anywhere, and so escape every limit
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
    )


def hand_over(address: str, options: argparse.Namespace) -> None:
    """Leave the settings for the workers, in the form that ``web.settings`` reads."""
    import json

    hosts = [_shown_host(host) for host in (*options.name, options.host)]
    fields = {"database": os.path.abspath(address) if "://" not in address else address, "hosts": hosts}
    log = {"has_json_log": options.log == "json", "has_access_log": options.access_log}
    more = {"is_demo": options.demo, "metrics_from": options.metrics_from, "counts_file": options.counts_file, **log}
    os.environ["CROSSTABLE_SITE"] = json.dumps({**fields, **more})


def _shown_host(host: str) -> str:
    """An address as browsers write it: one of IPv6 in its shortest spelling, in brackets."""
    import ipaddress

    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host
    return f"[{address.compressed}]" if address.version == 6 else host


def app_parser() -> Parser:
    """What ``crosstable app`` takes."""
    made = command_parser("app", description="The browser application: a folder of files that needs no server.")
    one = add_command(add_commands(made), "serve", "serve the folder on this machine, for a look", _serve_app)
    words = f"the folder that make app has made (default: {FOLDER}, here or where the program lies)"
    option(one, "folder FOLDER", words, nargs="?", default="")
    one.add_argument("--port", type=int, default=8080, help="the port (default: %(default)s)")
    return made


def _serve_app(options: argparse.Namespace) -> None:
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
