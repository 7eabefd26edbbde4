"""``office members``: import them from files, show one, what one asks of age lists, merge two ids of one person."""

import argparse
import os
from typing import TYPE_CHECKING

from crosstable.cli.office_access import author_of, login_name, office_command, opened, today
from crosstable.cli.office_accounts import done_or_proposed, is_by_two, proposer, tell_proposed
from crosstable.cli.office_changes import rate_and_tell, rate_if_asked
from crosstable.cli.office_ratings import system_line, system_object
from crosstable.cli.options import Commands, Parser, add_command, add_commands, also, day, flag, option
from crosstable.cli.printing import print_json, say, warn, warn_of_faults
from crosstable.errors import FAULTY, FormatError, RefusedError
from crosstable.formats import file_bytes, members
from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.erasing import erase_member
from crosstable.office.erasure_list import erase_listed, list_path, not_erased, read_list, write_list
from crosstable.office.late_facts import divided, facts_wish
from crosstable.office.ledger.journal import Author
from crosstable.office.members import Imported, import_members
from crosstable.office.members_files import FEWEST_ESTABLISHED, StartingRatingOptions, TakenFile, birth_faults, taken
from crosstable.office.persons import everything_about
from crosstable.office.proposals import merging, propose, starts_wish, unmerging
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.views import MemberView, known, member_view
from crosstable.rules.editions import EDITIONS
from crosstable.sentences import american, counted

if TYPE_CHECKING:
    from crosstable.office.ledger.facts import Person
    from crosstable.terms import OutsideRating


# What a member can ask about lists by age group.
ASKED = {"list": True, "leave-out": False, "none": None}


def add_members(made: Parser) -> None:
    """What ``office members`` takes."""
    group = add_commands(made)
    _add_import(group)
    shown = add_command(group, "show", "show everything the office knows about a member, including the birth date")
    office_command(shown, _show, "member", "--known-on", "--json")
    merge = add_command(group, "merge", "merge two ids of one person")
    option(merge, "member ID", "the id to give up")
    option(merge, "into INTO", "the id to keep")
    unmerge = add_command(group, "unmerge", "undo a merge")
    option(unmerge, "member ID", "the id that was merged into another")
    for one, run in ((merge, _merge), (unmerge, _unmerge)):
        office_command(one, run, "--by", "--reason!", "--account", "--rate")
    exported = add_command(group, "export", "write everything that is stored about a person as JSON, for that person")
    office_command(exported, _export, "member")
    erased = add_command(group, "erase", "erase a person's name, birth date and ids; ratings and proofs stay")
    office_command(
        erased,
        _erase,
        *("member", "--by", "--reason!"),
        epilog="It cannot be undone. The files of the person's events go too; supplements that were handed out stay "
        "what they are. Without --yes nothing is erased.",
    )
    flag(erased, "--yes", "erase, and do not only say what would be erased")
    listed = add_command(group, "erasures", "keep the list of erasures, for whoever restores a backup of before")
    office_command(
        listed,
        _erasures,
        *("--by", "--reason"),
        epilog="The list has ids and days, no names. An office in a file keeps it beside the file by itself; for one "
        "on PostgreSQL keep it with every backup. After a restore with the server's own tools, --again erases these "
        "people again; crosstable office restore does so itself.",
    )
    option(listed, "file FILE", "the list; what it has already stays in it")
    flag(listed, "--again", "erase everybody of the list who is there again")
    asked = add_command(group, "age-lists", "say whether a member is on lists by age group")
    office_command(
        asked,
        _age_lists,
        *("member", "--by", "--reason!"),
        epilog="Adults are listed unless they ask to be left out. People under 18 are listed only if they or their "
        "parents ask for it.",
    )
    asked.add_argument("wish", choices=tuple(ASKED), help="listed, left out, or nothing asked for")


def _add_import(group: Commands) -> None:
    made = add_command(group, "import", "import members, and news about them, from CSV, TSV or JSON")
    office_command(
        made,
        _import,
        *("--no-rate", "--by", "--reason", "--account"),
        epilog="For a template, type crosstable schema members. A rating in the file becomes a member's starting "
        "rating if the office has none. An import with nothing new changes nothing.",
    )
    option(made, "files FILE", "a members file", nargs="+")
    words = "the date of ratings that have no 'as of' column"
    also(made, "--openings-as-of", option(made, "--ratings-as-of DATE", words, type=day))
    first = EDITIONS[0].constants
    flag(
        made,
        "--count-by-2001-rule",
        "give an established rating without a game count the count of the rules of "
        f"{EDITIONS[0].effective.year}: {first.effective_cap:g} from {first.effective_limit:g} up, fewer below, "
        f"at least {FEWEST_ESTABLISHED:g} (default: the count stays unknown)",
    )
    words = "also replace starting ratings that the office has; everything since is rated again"
    also(made, "--replace-openings", flag(made, "--replace-ratings", words))


def _import(options: argparse.Namespace) -> int:
    files = read_members(options.files)
    if files is None:
        raise RefusedError("nothing was stored", FAULTY)
    wishes = StartingRatingOptions(options.ratings_as_of, options.count_by_2001_rule, options.replace_ratings)
    with opened(options) as office:
        if not _are_born(office, files):
            raise RefusedError("nothing was stored", FAULTY)
        with office.reading() as connection:
            record = known(connection).record
            prepared = [(path, taken(record, found, os.path.basename(path), wishes)) for path, found in files]
        for path, what in prepared:
            author = author_of(options, f"members file {os.path.basename(path)}")
            if is_by_two(office):
                _import_by_two(office, options, author, path, what)
            else:
                _tell(path, import_members(office, author, what.people, what.openings), what)
        if options.no_rate:
            return 0
        return rate_and_tell(office, options, "after importing members", is_brief=True)


def _import_by_two(office: Office, options: argparse.Namespace, author: Author, path: str, what: TakenFile) -> None:
    """Import what one person may, and propose the rest: starting ratings, and what a published period rests on."""
    with office.reading() as connection:
        people = divided(known(connection).record, what.people)
    wishes = [facts_wish(people.by_two)] * bool(people.by_two) + [starts_wish(what.openings)] * bool(what.openings)
    if not wishes:
        _tell(path, import_members(office, author, people.now), what)
        return
    who = proposer(office, options, " and ".join(one.summary for one in wishes))
    _tell(path, import_members(office, author, people.now), what)
    for wish in wishes:
        tell_proposed(propose(office, Author(who.name, author.reason), wish, who.credential))


def read_members(paths: list[str]) -> list[tuple[str, members.MembersFile]] | None:
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


def _tell(path: str, made: Imported, what: TakenFile) -> None:
    if made.act is None:
        say(f"{path}: nothing new about {counted(made.unchanged, 'member')}")
    else:
        said = {
            counted(made.new, "new member"): made.new,
            f"{made.changed:,} changed": made.changed,
            f"{made.unchanged:,} as before": made.unchanged,
            counted(made.openings, "starting rating"): made.openings,
        }
        say(f"{path}: {', '.join(text for text, number in said.items() if number)} (entry {made.act})")
    if what.left:
        say(f"  {counted(what.left, 'rating')} not taken, as the office has its own (to take them: --replace-ratings)")
    if what.erased:
        say(f"  {counted(what.erased, 'member')} left out: erased")
    if what.uncounted:
        unknown = f"  {counted(what.uncounted, 'rating')} without a game count: established, number of games unknown"
        say(f"{unknown} (to give a count: --count-by-2001-rule)")


def _export(options: argparse.Namespace) -> None:
    with opened(options) as office:
        with office.reading() as connection:
            found = everything_about(connection, options.member)
        note_apart(office, SecurityKind.EXPORTED, login_name(), found["member_id"])
    print_json(found)


def _erase(options: argparse.Namespace) -> None:
    with opened(options) as office:
        if not options.yes:
            with office.reading() as connection:
                person = member_view(connection, options.member).person
            say(f"nothing was erased: {person.member_id} {person.name} would be; to erase them, add --yes")
            return
        made = erase_member(office, author_of(options), options.member)
        is_clean = office.store.scrub()
        path = list_path(office.url)
        if path:
            write_list(office, path)
    rows = sum(made.rows.values()) - made.documents
    files = counted(made.documents, "original file")
    say(f"member {made.members[0]} is erased: {counted(rows, 'row')}, {files} (entry {made.act})")
    for place in made.remains:
        say(f"  the name still stands in {place}, which is no personal value of the record")
    if not is_clean:
        warn("note: old bytes may still be in the database; see Erasure in the guide (docs/privacy.md)")
    keep = f"keep {path}" if path else "crosstable office members erasures FILE keeps a list"
    say(f"backups still hold what was erased; {keep} for whoever restores one")


def _erasures(options: argparse.Namespace) -> int:
    with opened(options) as office:
        listed = read_list(options.file) if os.path.exists(options.file) else []
        count = erase_listed(office, author_of(options), listed) if options.again else 0
        with office.reading() as connection:
            left = len(not_erased(connection, listed))
        number = write_list(office, options.file)
    if options.again:
        say(f"{counted(count, 'person', 'people')} erased again, by {options.file}")
    if left:
        warn(f"{counted(left, 'person', 'people')} of {options.file} not erased here: --again erases them again")
        return FAULTY
    say(f"{options.file}: {counted(number, 'erasure')}")
    return 0


def _show(options: argparse.Namespace) -> None:
    with opened(options) as office:
        with office.reading() as connection:
            view = member_view(connection, options.member, options.known_on)
            into = known(connection, options.known_on).record.aliases().get(options.member)
        if view.person.birth_date or view.person.birth_year:
            note_apart(office, SecurityKind.BIRTH_DATE_READ, login_name(), view.member_id, by="office members show")
    if options.json:
        print_json({"format": "crosstable-office-member/1", **_member_object(view)})
        return
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


def _facts(person: "Person") -> dict[str, str]:
    """What is known of a person, in words."""
    flags = {True: "yes", False: "no", None: ""}
    return {
        "state": person.state,
        "born": "" if person.birth_date is None else american(person.birth_date),
        "year of birth": "" if person.birth_year is None else str(person.birth_year),
        "adult": flags[person.adult],
        "on age lists": flags[person.age_lists],
        "Canadian resident": "yes" if person.canadian_resident else "",
        "FIDE id": person.fide_id,
        "FIDE flag": person.fide_flag,
        "CFC id": person.cfc_id,
        "member until": "" if person.member_until is None else american(person.member_until),
        "FIDE ratings": _outside(person.fide),
        "CFC ratings": _outside(person.cfc),
    }


def _outside(ratings: tuple["OutsideRating", ...]) -> str:
    return ", ".join(f"{one.rating:g}{f' as of {american(one.as_of)}' if one.as_of else ''}" for one in ratings)


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


def _age_lists(options: argparse.Namespace) -> None:
    with opened(options) as office:
        with office.reading() as connection:
            member = known(connection).record.one_id(options.member)
        act = set_fact(office, author_of(options), member, {"age_lists": ASKED[options.wish]})
    say(f"member {member}, age lists: {options.wish} (entry {act})")


def _merge(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = done_or_proposed(office, options, merging(options.member, options.into), author_of(options))
        if act is None:
            return 0
        say(f"{options.member} is merged into {options.into} (entry {act})")
        say(f"to undo it: crosstable office members unmerge {options.member}")
        return rate_if_asked(office, options, f"after merging {options.member} into {options.into}")


def _unmerge(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = done_or_proposed(office, options, unmerging(options.member), author_of(options))
        if act is None:
            return 0
        say(f"{options.member} is its own member again (entry {act})")
        return rate_if_asked(office, options, f"after unmerging {options.member}")
