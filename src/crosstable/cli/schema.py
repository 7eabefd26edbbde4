"""``crosstable schema``: the shapes of the files that crosstable reads and of the documents that it prints."""

import argparse
import json
import sys
from importlib.resources import files

from crosstable import schemas
from crosstable.cli.files import Help

# What crosstable reads; everything else it prints or writes.
READ = {
    "event": "the JSON Schema of the event file",
    "members": "a template of a members file",
    "wallchart": "a template of a CSV wallchart",
}


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable schema",
        formatter_class=Help,
        description="Print the shape of a file or document: event is the JSON Schema of the event file, members a "
        "template of a members file, wallchart a template of a CSV wallchart; any other name is that of a format that "
        "crosstable prints or writes (rated for crosstable-rated/1), and its JSON Schema is printed. Without a name, "
        "all names are listed.",
    )
    made.add_argument("name", nargs="?", choices=(*READ, *schemas.names()), metavar="NAME", help="which shape")
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    sys.stdout.write(_listed() if options.name is None else _shape(options.name))
    return 0


def _listed() -> str:
    every = {**READ, **{name: str(schemas.schema(name)["description"]) for name in schemas.names()}}
    width = max(map(len, every))
    return "".join(f"{name:<{width}}  {words}\n" for name, words in every.items())


def _shape(name: str) -> str:
    if name == "members":
        from crosstable.formats import members

        return members.TEMPLATE
    if name == "wallchart":
        from crosstable.formats import wallchart

        return wallchart.TEMPLATE
    if name == "event":
        return files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8")
    return json.dumps(schemas.schema(name), ensure_ascii=False, indent=1) + "\n"
