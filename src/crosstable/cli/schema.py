"""``crosstable schema``: the shapes of the files that crosstable reads."""

import argparse
import sys
from importlib.resources import files

from crosstable.cli.files import Help

SHAPES = ("event", "members", "wallchart")


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable schema",
        formatter_class=Help,
        description="Print the shape of a file: event is the JSON Schema of the event file, members a template of a "
        "members file, wallchart a template of a CSV wallchart.",
    )
    made.add_argument("shape", choices=SHAPES, help="which file")
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    sys.stdout.write(_shape(options.shape))
    return 0


def _shape(name: str) -> str:
    if name == "members":
        from crosstable.formats import members

        return members.TEMPLATE
    if name == "wallchart":
        from crosstable.formats import wallchart

        return wallchart.TEMPLATE
    return files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8")
