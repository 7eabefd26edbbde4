"""``office settings``: what an office decides for all its pages and files; each change is an act of the record."""

import argparse
from typing import TYPE_CHECKING

from crosstable.cli.office_desk import add_act_options, add_command, add_group, deed_of, opened
from crosstable.cli.office_drawing import print_json, say
from crosstable.office.settings import show_decimals, shows_decimals

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

ON, OFF = "on", "off"


def add(commands: "Commands") -> None:
    """The commands of this module."""
    group = add_group(commands, "settings", "what the office decides for all its pages and files")
    shown = add_command(group, "show", "every setting as it stands", _show)
    shown.add_argument("--json", action="store_true", help="print it as JSON")
    made = add_command(group, "public-decimals", "whether the public sees two decimals of ratings", _decimals)
    made.epilog = (
        "Off until it is switched on: two decimals of a first section give the birth date of a player who started by "
        "age to within days. The office and the directors of an event see everything either way."
    )
    made.add_argument("value", choices=(ON, OFF), help="on: two decimals; off: whole numbers")
    add_act_options(made)


def _show(options: argparse.Namespace) -> int:
    with opened(options) as office, office.reading() as connection:
        has_decimals = shows_decimals(connection)
    if options.json:
        print_json({"format": "crosstable-office-settings/1", "public_decimals": has_decimals})
    else:
        say(f"public-decimals: {ON if has_decimals else OFF}")
    return 0


def _decimals(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = show_decimals(office, deed_of(options), is_on=options.value == ON)
    say(f"public-decimals: {options.value}" + (" already" if act is None else f" (act {act})"))
    return 0
