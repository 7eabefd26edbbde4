"""``office publish``: the official list of a month, frozen."""

import argparse
from typing import TYPE_CHECKING

from crosstable.cli.office_desk import add_act_options, add_command, deed_of, opened
from crosstable.cli.office_drawing import counted, say
from crosstable.cli.office_list_shown import add_lists
from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.published import CENTRAL, Month, cut_off, month_of
from crosstable.office.supplements import Basis, list_rows, publish, run_by

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands


def add(commands: "Commands") -> None:
    """The commands of this module."""
    made = add_command(commands, "publish", "freeze the official list of a month; it is never changed again", _publish)
    made.add_argument("month", metavar="MONTH", help="the month whose first day makes the list official, like 2026-12")
    made.add_argument(
        "--cut-off",
        choices=[basis.value for basis in Basis],
        default=Basis.RULE.value,
        help="what is in it: what was rated by the cut-off, the third Wednesday of the month before (rule, the "
        "default); what was played by then, whenever it was rated (played); everything rated until now (now)",
    )
    add_act_options(made)
    add_lists(commands)


def _publish(options: argparse.Namespace) -> int:
    month = month_of(options.month)
    basis = Basis(options.cut_off)
    with opened(options) as office:
        _refuse_empty(office, month, basis)
        made = publish(office, deed_of(options, f"the list of {month}"), month, basis)
    day = made.cut_off.astimezone(CENTRAL).date()
    say(f"the list of {made.month}: {counted(made.rows, 'rating')}, cut off on {day} ({basis.value}), act {made.act}")
    say(f"digest {made.digest}")
    say(f"head of the record {made.head}")
    return 0


def _refuse_empty(office: Office, month: Month, basis: Basis) -> None:
    """A list on which nobody would stand is nearly always a mistake, and it could never be changed."""
    if basis is not Basis.NOW and cut_off(month) > office.clock():
        return  # still to come: the office says so itself
    with office.reading() as connection:
        run = run_by(connection, cut_off(month) if basis is Basis.RULE else None)
        if list_rows(connection, basis, month, run):
            return
    day = cut_off(month).astimezone(CENTRAL).date()
    if basis is Basis.RULE:
        raise OfficeError(
            f"nobody would be on the list of {month}: nothing was rated by its cut-off on {day}; --cut-off played "
            "takes what was played by then, --cut-off now everything that is rated"
        )
    raise OfficeError(f"nobody would be on the list of {month}: nobody has a rating on 4 games or more by {day}")
