"""``office members``: import them from files, show one, what one asks of age lists, merge two ids of one person."""

import argparse
import os
from typing import TYPE_CHECKING

from crosstable.cli import FAULTY
from crosstable.cli.office_access import author_of, office_command, opened, today
from crosstable.cli.office_changes import rate_and_tell, rate_if_asked
from crosstable.cli.office_ratings import system_line, system_object
from crosstable.cli.options import Commands, Parser, add_command, add_commands, day, flag
from crosstable.cli.printing import counted, print_json, say, warn, warn_of_faults
from crosstable.errors import FormatError
from crosstable.formats import file_bytes, members
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.members import Imported, import_members, merge_members, unmerge_members
from crosstable.office.members_files import OpeningWishes, TakenFile, birth_faults, taken
from crosstable.office.views import MemberView, known, member_view
from crosstable.rules.editions import EDITIONS

if TYPE_CHECKING:
    from crosstable.office.ledger.facts import Person
    from crosstable.terms import OutsideRating


# What a member can ask about lists by age group.
WISHES = {"list": True, "leave-out": False, "none": None}


def add_members(made: Parser) -> None:
    """What ``office members`` takes."""
    group = add_commands(made)
    _add_import(group)
    shown = add_command(group, "show", "everything the office knows of a member, the birth date too")
    office_command(shown, _show, "member", "--known-on", "--json")
    merge = add_command(group, "merge", "two ids are one person: from now on one stands for the other")
    merge.add_argument("member", metavar="ID", help="the id that is given up")
    merge.add_argument("into", metavar="INTO", help="the id that stays")
    unmerge = add_command(group, "unmerge", "take a merge back: the id stands for itself again")
    unmerge.add_argument("member", metavar="ID", help="the id that was merged into another")
    for one, run in ((merge, _merge), (unmerge, _unmerge)):
        office_command(one, run, "--by", "--reason!", "--rate")
    asked = add_command(group, "age-lists", "whether a member is on lists by age group")
    office_command(
        asked,
        _age_lists,
        *("member", "--by", "--reason!"),
        epilog="Adults are on them unless they ask to be left out; people under 18 only where they, or their parents, "
        "ask to be listed.",
    )
    asked.add_argument("wish", choices=tuple(WISHES), help="list: be listed; leave-out: be left out; none: no wish")


def _add_import(group: Commands) -> None:
    made = add_command(group, "import", "add members, and what became known of them, from CSV, TSV or JSON")
    office_command(
        made,
        _import,
        *("--no-rate", "--by", "--reason"),
        epilog="crosstable schema members prints a template. A rating in the file opens the member's record where the "
        "office has none; an import that says nothing new changes nothing.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="a members file")
    made.add_argument(
        "--openings-as-of",
        type=day,
        metavar="DATE",
        help="the day of every rating in the file that has no 'as of' column of its own",
    )
    first = EDITIONS[0].constants
    flag(
        made,
        "--count-by-2001-rule",
        "give an established rating without a game count the count it would have opened with in "
        f"{EDITIONS[0].effective.year}: {first.effective_cap:g} from {first.effective_limit:g} up, fewer below, at "
        f"least {first.established_above + 1:g} (otherwise the count stays unknown)",
    )
    flag(
        made,
        "--replace-openings",
        "take ratings also where the office has a record: everything rated since follows anew",
    )


def _import(options: argparse.Namespace) -> int:
    files = _read(options.files)
    if files is None:
        warn("nothing was stored")
        return FAULTY
    wishes = OpeningWishes(options.openings_as_of, options.count_by_2001_rule, options.replace_openings)
    with opened(options) as office:
        if not _are_born(office, files):
            warn("nothing was stored")
            return FAULTY
        prepared = [(path, _prepared(office, path, found, wishes)) for path, found in files]
        for path, what in prepared:
            author = author_of(options, f"members file {os.path.basename(path)}")
            _tell(path, import_members(office, author, what.people, what.openings), what)
        if options.no_rate:
            return 0
        return rate_and_tell(office, options, "after importing members", is_brief=True)


def _read(paths: list[str]) -> list[tuple[str, members.MembersFile]] | None:
    """The files, or nothing where one of them has errors; every fault of all of them is printed."""
    found, is_sound = [], True
    for path in paths:
        try:
            file = members.read(file_bytes(path), os.path.basename(path))
        except FormatError as error:
            faults = [error.fault]
            is_sound = False
        else:
            faults = list(file.faults)
            is_sound &= all(not fault.severity.stops for fault in file.faults)
            found.append((path, file))
        warn_of_faults(path, faults)
    return found if is_sound else None


def _are_born(office: Office, files: list[tuple[str, members.MembersFile]]) -> bool:
    """Whether every birth date of the files can be; those that cannot, or hardly, are printed."""
    found = [(path, birth_faults(file, today(office))) for path, file in files]
    for path, faults in found:
        warn_of_faults(path, faults)
    return all(not fault.severity.stops for _, faults in found for fault in faults)


def _prepared(office: Office, path: str, found: members.MembersFile, wishes: OpeningWishes) -> TakenFile:
    with office.reading() as connection:
        return taken(known(connection).record, found, os.path.basename(path), wishes)


def _tell(path: str, made: Imported, what: TakenFile) -> None:
    if made.act is None:
        say(f"{path}: nothing new about {counted(made.unchanged, 'member')}")
    else:
        said = {
            counted(made.new, "new member"): made.new,
            f"{made.changed:,} changed": made.changed,
            f"{made.unchanged:,} as before": made.unchanged,
            counted(made.openings, "opening standing"): made.openings,
        }
        say(f"{path}: {', '.join(text for text, number in said.items() if number)} (act {made.act})")
    if what.left:
        say(
            f"  {counted(what.left, 'rating')} in the file not taken: the office has its own record of these members "
            "(--replace-openings takes them all the same)"
        )
    if what.uncounted:
        say(
            f"  {counted(what.uncounted, 'rating')} without a game count: established on an unknown number of games "
            "(--count-by-2001-rule gives one)"
        )


def _show(options: argparse.Namespace) -> int:
    with opened(options) as office, office.reading() as connection:
        view = member_view(connection, options.member, options.known_on)
        into = known(connection, options.known_on).record.aliases().get(options.member)
    if options.json:
        print_json({"format": "crosstable-office-member/1", **_member_object(view)})
        return 0
    person = view.person
    if into is not None:
        say(f"{options.member} is merged into {into}")
    say(f"{view.member_id}  {person.name}")
    for what, value in _facts(person).items():
        if value:
            say(f"  {what}: {value}")
    if view.other_ids:
        say(f"  also: {', '.join(view.other_ids)}")
    for one in view.systems:
        say(f"  {system_line(one)}")
    return 0


def _facts(person: "Person") -> dict[str, str]:
    """What is known of a person, in words."""
    flags = {True: "yes", False: "no", None: ""}
    return {
        "state": person.state,
        "born": "" if person.birth_date is None else person.birth_date.isoformat(),
        "year of birth": "" if person.birth_year is None else str(person.birth_year),
        "adult": flags[person.adult],
        "on age lists": flags[person.age_lists],
        "Canadian resident": "yes" if person.canadian_resident else "",
        "FIDE id": person.fide_id,
        "FIDE flag": person.fide_flag,
        "CFC id": person.cfc_id,
        "member until": "" if person.member_until is None else person.member_until.isoformat(),
        "FIDE ratings": _outside(person.fide),
        "CFC ratings": _outside(person.cfc),
    }


def _outside(ratings: tuple["OutsideRating", ...]) -> str:
    return ", ".join(f"{one.rating:g} as of {one.as_of}" for one in ratings)


def _member_object(view: MemberView) -> dict[str, object]:
    person = view.person._asdict()
    outside = {
        body: [{"rating": one.rating, "as_of": one.as_of} for one in person.pop(body)] for body in ("fide", "cfc")
    }
    return {
        **person,
        **outside,
        "other_ids": list(view.other_ids),
        "ratings": {one.system.name: system_object(one) for one in view.systems},
    }


def _age_lists(options: argparse.Namespace) -> int:
    with opened(options) as office:
        with office.reading() as connection:
            member = known(connection).record.one_id(options.member)
        act = set_fact(office, author_of(options), member, {"age_lists": WISHES[options.wish]})
    say(f"member {member}, age lists: {options.wish} (act {act})")
    return 0


def _merge(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = merge_members(office, author_of(options), options.member, options.into)
        say(f"{options.member} now stands for {options.into} (act {act}); members unmerge {options.member} undoes it")
        return rate_if_asked(office, options, f"after merging {options.member} into {options.into}")


def _unmerge(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = unmerge_members(office, author_of(options), options.member)
        say(f"{options.member} stands for itself again (act {act})")
        return rate_if_asked(office, options, f"after unmerging {options.member}")
