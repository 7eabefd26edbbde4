"""``crosstable schema``: the shapes of the files that crosstable reads."""

import argparse
import sys
from importlib.resources import files

from crosstable.cli.files import Help

SHAPES = {"event": "event.schema.json"}


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable schema",
        formatter_class=Help,
        description="Print the shape of a file: event is the JSON Schema of the event file.",
    )
    made.add_argument("shape", choices=sorted(SHAPES), help="which file")
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    sys.stdout.write(files("crosstable.formats").joinpath(SHAPES[options.shape]).read_text("utf-8"))
    return 0
