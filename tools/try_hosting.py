"""Follow docs/hosting.md in a clean directory: the same lines, files and units, without touching the machine.

What needs a machine of its own is replaced: the root directory by a folder, the service's user by this one, ports by
free ones, systemd by the lines of its units, the certificate by one made here, the base image by a virtual
environment. A proxy that is not installed is named as not tried.
"""

import argparse
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
NAME = "ratings.example.org"
PASSWORD = "a password of seven words for this try\n"
PATIENCE = 180.0


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


SITE = free_port()
_BLOCK = re.compile(r"^```\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def main() -> None:
    """Install, serve, stand behind each proxy, do a job, back up, restore; then the container's steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="what `make dist` made (default: the one in dist)")
    wheel = parser.parse_args().wheel or next((ROOT / "dist").glob("*.whl"))
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder)
        installed(clean, wheel.resolve())
        unit = lines_of(DEPLOY / "crosstable.service", clean)
        with running(unit, clean):
            behind("nginx", nginx, clean)
            behind("caddy", caddy, clean)
        worked(clean)
        backed_up(clean)
        contained(clean / "image")
    print("Every step of docs/hosting.md went through.")


def moved(text: str, clean: Path) -> str:
    """A line with the machine's folders under the clean one, and the site's port a free one."""
    return re.sub(r"(?<![\w.])/(opt|var|etc)/", rf"{clean}/\1/", text).replace("8000", str(SITE))


def run(words: list[str], said: str = "", **environment: str) -> str:
    """Run a command that has to succeed, and give what it printed."""
    print("$", shlex.join(words), flush=True)
    ran = subprocess.run(
        words, input=said, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        sys.exit(f"exit code {ran.returncode}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def installed(clean: Path, wheel: Path) -> None:
    """The lines of the page up to the office's first account; only the user is not made."""
    for folder in ("opt", "var/lib/crosstable", "var/cache/crosstable", "etc/ssl/private"):
        (clean / folder).mkdir(parents=True)
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    program, office, *_ = _BLOCK.findall(page)
    _, *lines = (program + office).splitlines()
    for line in lines:
        text = line.replace(
            '"./dist/crosstable-0.1.0-py3-none-any.whl[site,history]"', f'"crosstable[site,history] @ {wheel.as_uri()}"'
        )
        words = shlex.split(re.sub(r"^sudo (-u crosstable )?", "", moved(text, clean)))
        given = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
        run([word for word in words if word.partition("=")[0] not in given], PASSWORD, **given)


def lines_of(unit: Path, clean: Path) -> tuple[list[str], dict[str, str]]:
    """What a unit runs, and with which variables."""
    if shutil.which("systemd-analyze"):
        ours = clean / unit.name
        ours.write_text(moved(unit.read_text(encoding="utf-8"), clean), encoding="utf-8")
        run(["systemd-analyze", "verify", str(ours)])
    text = moved(unit.read_text(encoding="utf-8"), clean).replace("%%", "%")
    command = re.findall(r"^ExecStart=(.*)$", text, flags=re.MULTILINE)[0]
    return shlex.split(command), dict(re.findall(r"^Environment=(\w+)=(.*)$", text, flags=re.MULTILINE))


@contextmanager
def running(unit: tuple[list[str], dict[str, str]], clean: Path) -> Iterator[None]:
    """The service of a unit until it is ready; it has to end by itself on SIGTERM."""
    command, given = unit
    print("$", shlex.join(command), flush=True)
    with subprocess.Popen(command, env={**os.environ, **given}, cwd=clean) as service:
        try:
            until(lambda: asked(f"http://127.0.0.1:{command[command.index('--port') + 1]}/readyz"))
            yield
        finally:
            service.terminate()
    if service.returncode not in (0, -15):
        sys.exit(f"the service ended with {service.returncode}")


def behind(name: str, proxy: Callable[[Path, int], list[str]], clean: Path) -> None:
    """The site through a proxy: it answers by HTTPS, asks for it from then on, and its cookies are the host's own."""
    if not shutil.which(name):
        print(f"{name} is not installed: not tried")
        return
    port = free_port()
    words = proxy(clean, port)
    print("$", shlex.join(words), flush=True)
    own = {"XDG_DATA_HOME": str(clean), "XDG_CONFIG_HOME": str(clean)}
    with subprocess.Popen(words, env={**os.environ, **own}) as started:
        try:
            until(lambda: asked(f"https://127.0.0.1:{port}/login"))
            headers = asked(f"https://127.0.0.1:{port}/login") or {}
        finally:
            started.terminate()
    told = {name.lower(): value for name, value in headers.items()}
    if "__Host-" not in told.get("set-cookie", "") or "strict-transport-security" not in told:
        sys.exit(f"{name}: the site does not know that it is asked by HTTPS: {told}")


def nginx(clean: Path, port: int) -> list[str]:
    """The site's part of nginx's configuration in a configuration of its own, with a certificate made here."""
    text = moved((DEPLOY / "nginx.conf").read_text(encoding="utf-8"), clean)
    certificate, key = re.findall(r"ssl_certificate(?:_key)? (\S+);", text)
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    run([*request, "-out", certificate, "-keyout", key])
    whole = clean / "nginx.conf"
    folders = "".join(f"{one}_temp_path {clean}/{one};" for one in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole.write_text(
        f"daemon off; pid {clean}/nginx.pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {folders}\n{text.replace('listen 443', f'listen 127.0.0.1:{port}')}}}\n",
        encoding="utf-8",
    )
    run(["nginx", "-t", "-q", "-c", str(whole)])
    return ["nginx", "-c", str(whole)]


def caddy(clean: Path, port: int) -> list[str]:
    """The Caddyfile on another port, with a certificate of Caddy's own making."""
    text = moved((DEPLOY / "Caddyfile").read_text(encoding="utf-8"), clean)
    ours = clean / "Caddyfile"
    own = text.replace(f"{NAME} {{", f"https://{NAME}:{port}, https://127.0.0.1:{port} {{\n\ttls internal", 1)
    ours.write_text("{\n\tskip_install_trust\n\tauto_https disable_redirects\n\tadmin off\n}\n" + own, encoding="utf-8")
    run(["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")])
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(ours)]


def worked(clean: Path) -> None:
    """The unit of the worker does a job of the office in the clean directory, not of one on a server."""
    command, _ = lines_of(DEPLOY / "crosstable-worker.service", clean)
    _, office = lines_of(DEPLOY / "crosstable.service", clean)
    crosstable = str(clean / "opt/crosstable/bin/crosstable")
    run([crosstable, "office", "jobs", "add", "verify"], **office)
    print("$", shlex.join(command), flush=True)
    with subprocess.Popen(command, env={**os.environ, **office}, cwd=clean) as worker:
        try:
            until(lambda: "done" in run([crosstable, "office", "jobs", "list"], **office))
        finally:
            worker.terminate()


def backed_up(clean: Path) -> None:
    """The line of the backup's unit, and an office made from what it wrote."""
    command, given = lines_of(DEPLOY / "crosstable-backup.service", clean)
    run(command, **given)
    (made,) = (clean / "var/lib/crosstable").glob("backup-*.zip")
    crosstable = str(clean / "opt/crosstable/bin/crosstable")
    again = str(clean / "again.db")
    run([crosstable, "office", "restore", str(made), "--database", again])
    if "everything follows from the record" not in (said := run([crosstable, "office", "verify", "--database", again])):
        sys.exit(said)


def contained(image: Path) -> None:
    """The Containerfile's instructions: what it copies has to be enough to install, and what is installed serves."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    for what, where in re.findall(r"^COPY ((?:\w|[./ ])+) /(source\S*)$", text, flags=re.MULTILINE):
        for one in what.split():
            to = image / where / (Path(one).name if where.endswith("/") else "")
            to.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / one).is_dir() else shutil.copy)(ROOT / one, to)
    run([sys.executable, "-m", "venv", str(image / "usr")])
    (line,) = re.findall(r"^RUN pip (install .*)$", text, flags=re.MULTILINE)
    words = [word for word in shlex.split(line) if not word.startswith("--prefix")]
    run([str(image / "usr/bin/pip"), *(word.replace("/source", str(image / "source")) for word in words)])
    office = {"CROSSTABLE_OFFICE": str(image / "office.db")}
    crosstable = str(image / "usr/bin/crosstable")
    run([crosstable, "office", "init"], **office)
    run([crosstable, "office", "users", "add", "NAME"], PASSWORD, **office)
    (last,) = re.findall(r"^CMD (\[.*\])$", text, flags=re.MULTILINE)
    command = [crosstable, *re.findall(r'"([^"]+)"', last), "--port", str(SITE)]
    with running((command, office), image):
        print("the container's command serves")


def asked(url: str) -> dict[str, str] | None:
    """The headers of an answer to the site's own name, or nothing as long as there is none."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # the certificate was made a moment ago
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers={"Host": NAME}), timeout=10, context=context
        ) as answer:
            return dict(answer.headers)
    except (urllib.error.URLError, OSError):
        return None


def until(done: Callable[[], object]) -> None:
    """Wait for something to become true."""
    begun = time.monotonic()
    while not done():
        if time.monotonic() - begun > PATIENCE:
            sys.exit("it did not answer")
        time.sleep(0.3)


if __name__ == "__main__":
    main()
