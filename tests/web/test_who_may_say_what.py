"""Who may say what: every field of an event file, by everybody who may send one, as ``checks.owners`` lists them.

One event has a section for each field, which says that field alone beside what every section says. Whoever sends it,
what the director owns is taken, what the record knows otherwise is told, what only the office may say waits.
"""

import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crosstable.checks.owners import FIELDS, REQUESTS, Owner
from crosstable.errors import Severity
from crosstable.office.audit import audit
from crosstable.office.corrections import confirm
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind, Heading, State
from crosstable.office.ledger.journal import EntryKind
from crosstable.office.views import known, log
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from crosstable.terms import RatingSystem
from tests.amounts import IS_SOAK
from tests.office.made_office import AUTHOR, join, member_id, opening, person, posted, run
from tests.web.people import OWN, Site, site

DAY = "2026-11-14"
SCHEMA = Path(__file__).parents[2] / "src" / "crosstable" / "formats" / "event.schema.json"
# What the first player (or the section) of a field's section says.
VALUES: dict[str, Any] = {
    "section.name": "Reserve",
    "section.type": "round_robin",
    "section.online": True,
    "section.time_control": "G/120;d5",
    "section.systems": ["OTBQ"],
    "section.k_factor": "full",
    "section.match_waiver": "by letter",
    "section.start_date": "2026-11-13",
    "section.end_date": DAY,
    "section.details": {"city": "Reno"},
    "player.name": "Member, Boris",
    "player.state": "NV",
    "player.rate": True,
    "player.pairing_rating": 2222,
    "player.posted": {"OTBR": {"rating": 2222}},
    "player.total": 1,
    "player.details": {"team": "A"},
    "player.ratings": {"OTBR": {"rating": 2222, "games": 99}},
    "player.ratings.FIDE": {"FIDE": {"rating": 1900, "as_of": "2026-11-01"}},
    "player.ratings.CFC": {"CFC": {"rating": 1700, "as_of": "2026-11-01"}},
    "player.canadian_resident": True,
    "player.birth_date": "2001-02-03",
    "player.birth_year": 2001,
    "player.adult": True,
    "player.fide_flag": "CAN",
    "player.member": False,
    "player.start": {"rating": 2600, "games": 10},
    "player.fide_opt_in": True,
}
# Fields without which there is no section; each section has them.
ALWAYS = {"section.number", "section.players", "player.number", "player.member_id", "player.rounds"}
OF_SECTIONS = sorted(set(FIELDS) - ALWAYS - {name for name in FIELDS if name.startswith("event.")})
MATCH, ABROAD = {"section.match_waiver"}, {"player.fide_opt_in"}
# Of unrated members nothing is known but the name; these fields say something of them.
OF_UNRATED = {name for name in FIELDS if FIELDS[name].owner is Owner.RECORD} - {"player.ratings", "player.fide_flag"}


def row(number: int, cells: str, who: int, **said: Any) -> dict[str, Any]:
    me = person(who)
    return {"number": number, "member_id": me.member_id, "name": me.name, "rounds": cells.split(), **said}


def section_of(number: int, field: str, unrated: int = 9) -> dict[str, Any]:
    """A section that says one field, with players about whom it matters."""
    first = unrated if field in OF_UNRATED or field == "player.start" else 5
    made: dict[str, Any] = {"number": number, "time_control": "G/90;d5", "players": []}
    made["players"] = [row(1, "W2", first), row(2, "L1", 6)]
    if field in MATCH:  # 1300 and 1800: more than 400 apart
        made |= {"type": "match", "players": [row(1, "W2", 1), row(2, "L1", 6)]}
    if field in ABROAD:
        rival = {"number": 2, "name": "Rival", "rounds": ["L1"], "ratings": {"FIDE": {"rating": 1900}}}
        made |= {"type": "foreign_fide", "players": [row(1, "W2", 5, rate=True), rival]}
    where, _, name = field.partition(".")
    if where == "section":
        made[name] = VALUES[field]
    else:
        made["players"][0][name.partition(".")[0]] = VALUES[field]
    return made


def event_of(event_id: str, unrated: int = 9, results: str = "WL") -> dict[str, Any]:
    """An event with a section for each field; the fields of the event itself are all there."""
    event = {"id": event_id, "name": "Every field", "start_date": "2026-11-13", "end_date": DAY}
    sections = [section_of(at, field, unrated) for at, field in enumerate(OF_SECTIONS, start=1)]
    for section in sections:
        section.setdefault("start_date", DAY)
        for player in section["players"]:
            player["rounds"] = [cell.translate(str.maketrans("WL", results)) for cell in player["rounds"]]
    return {"format": "crosstable-event/1", "event": event | {"details": {"affiliate": OWN}}, "sections": sections}


def sent(made: Site, actor: str, event: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    """What becomes of a file that somebody sends: the code of the reply, and the findings that a program is told."""
    file = ("event.json", json.dumps(event).encode())
    if actor == "affiliate token":
        headers = made.token("clara", affiliate=OWN)
        reply = made.client.post("/api/v1/submissions", files=[("files", file)], headers=headers)
        return reply.status_code, reply.json()["faults"]
    mark = made.come_in({"anonymous": "nobody", "director": "tina", "office": "anna"}[actor])
    data = {"mark": mark or "0" * 64}
    reply = made.client.post("/upload/submit", data=data, files=[("files", file)], follow_redirects=True)
    return reply.status_code, []


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def headings(made: Site, event_id: str) -> dict[str, Heading]:
    """The sections of an event by the field that each says."""
    with made.office.reading() as connection:
        found = known(connection).record.headings_of(event_id)
    return {OF_SECTIONS[one.number - 1]: one for one in found}


def codes(heading: Heading, severity: Severity) -> set[str]:
    return {one["code"] for one in heading.faults if one["severity"] == severity}


def test_every_field_of_the_event_file_has_an_owner() -> None:
    """The list is that of the schema, and every field but the necessary ones has a value here."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    objects = {"event": schema["properties"]["event"], **{one: schema["$defs"][one] for one in ("section", "player")}}
    found = {f"{where}.{name}" for where, said in objects.items() for name in said["properties"]}
    assert found | {"player.ratings.FIDE", "player.ratings.CFC"} == set(FIELDS)
    assert set(OF_SECTIONS) == set(VALUES)


def test_what_becomes_of_each_field_that_somebody_sends(here: Site) -> None:
    """A director's value for an office field waits, for a record field it is told, nothing else stops."""
    join(here.office, [person(number) for number in (9, 10, 11)])  # nothing else is known of them
    # The same results on one day would be the same tournament sent twice.
    actors = (("director", "WL"), ("affiliate token", "DD"), ("office", "LW"))
    for unrated, (actor, results) in enumerate(actors if IS_SOAK else actors[::2], start=9):
        event_id = actor.split()[0]
        code, _ = sent(here, actor, event_of(event_id, unrated, results))
        assert code in (200, 201, 202)
        posted_in = {about.section for about in posted(here.office) if about.event_id == event_id}
        for field, one in headings(here, event_id).items():
            _is_treated_as_its_owner_says(field, one)
            assert (one.number in posted_in) is (one.state is State.ACCEPTED), field
    _agree_and_refuse(here)


def _is_treated_as_its_owner_says(field: str, one: Heading) -> None:
    owned, asked, told = FIELDS[field], codes(one, Severity.CONFIRM), codes(one, Severity.WARNING)
    waits = owned.owner is Owner.OFFICE or field == "player.ratings.FIDE"
    assert one.state is (State.HELD if waits else State.ACCEPTED), (field, one.faults)
    assert bool(asked & set(owned.codes)) is waits, (field, one.faults)
    assert not codes(one, Severity.ERROR), (field, one.faults)
    if owned.owner is Owner.RECORD and not waits:
        assert told & {*owned.codes, *(("membership",) if field == "player.member" else ())}, (field, one.faults)
    if owned.owner is Owner.DIRECTOR:
        assert not told & {*REQUESTS, "record-differs", "cfc-notice"}, (field, one.faults)


def _agree_and_refuse(here: Site) -> None:
    """The office refuses the system and agrees to everything else; then it is posted as asked, and the log says so."""
    found = headings(here, "director")
    system = found["section.systems"].number
    assert here.accept("anna", "director", section=str(system), refuse="yes")[0] == 200
    assert here.accept("anna", "director")[0] == 200
    run(here.office)
    after = headings(here, "director")
    assert {one.state for one in after.values()} == {State.ACCEPTED}
    assert after["section.systems"].systems == (RatingSystem.OTBR,)  # G/90;d5, footnote 1
    mine = {one.section: one for about, one in posted(here.office).items() if about.event_id == "director"}
    with here.office.reading() as connection:
        agreed = [act.after["granted"] for act in log(connection, subject="director") if act.kind is EntryKind.CONFIRM]
    assert not audit(here.office).findings
    assert agreed[0] == []
    words = " ".join(agreed[1])
    for said in ("starts the player at 2600 on 10 games", "waived: by letter", "opted in"):
        assert said in words
    assert {found[field].number for field in ("player.start", "section.match_waiver", "player.fide_opt_in")} <= set(
        mine
    )


def test_nobody_who_is_not_logged_in_sends_anything(here: Site) -> None:
    """They may look: what waits is told, and nothing of what the record knows."""
    join(here.office, [person(9)])
    assert sent(here, "anonymous", event_of("all"))[0] == 401
    reply = here.client.post("/api/v1/submissions", files=[("files", ("a.json", b"{}"))])
    assert reply.status_code == 401
    found = here.client.post("/api/v1/previews", content=json.dumps(event_of("all")).encode()).json()
    states = {OF_SECTIONS[one["section"] - 1]: one["state"] for one in found["sections"]}
    for field, state in states.items():
        assert (state == "held") is (FIELDS[field].owner is Owner.OFFICE), field
    assert not {one["code"] for one in found["faults"]} & {"record-differs", "cfc-notice"}


def test_on_the_command_line_every_field_is_taken_told_and_listed() -> None:
    """One person is everything there; each field of the office gives a warning and an entry of ``assumed``."""
    event = event_of("all")
    for one in event["sections"]:
        for who in one["players"]:
            brought = {"OTBR": {"rating": 1800, "games": 30}} if "start" not in who else {}
            who["ratings"] = brought | who.get("ratings", {})
    rated = rate(read(json.dumps(event).encode(), "event.json"), today=date(2026, 11, 15))
    for field, one in zip(OF_SECTIONS, rated.examined, strict=True):
        assert one.rated, (field, one.faults)
        if FIELDS[field].owner is Owner.OFFICE:
            told = [found for found in one.faults if found.code in FIELDS[field].codes]
            assert [found.severity for found in told] == [Severity.WARNING], field
        if FIELDS[field].owner is Owner.OFFICE:
            name = field.partition(".")[2]
            assert any(note.startswith(f"{name}:") for note in one.rated[0].players[0].assumed), field


def test_what_was_agreed_to_once_is_not_asked_again(here: Site) -> None:
    """A correction leaves it granted; another value is asked for anew, even by the office, and waits."""
    join(here.office, [person(9)])
    event = event_of("all")
    event["sections"] = [section_of(1, "player.start")]
    assert sent(here, "director", event)[0] == 200
    assert here.accept("anna", "all")[0] == 200
    run(here.office)
    changed = copy.deepcopy(event)
    changed["sections"][0]["name"] = "Open"
    file = [("files", ("event.json", json.dumps(changed).encode()))]
    mark = here.come_in("anna")
    data = {"mark": mark, "event": "all", "reason": "a name"}
    reply = here.client.post("/upload/submit", data=data, files=file, follow_redirects=True)
    assert "Corrected (entry" in reply.text
    changed["sections"][0]["players"][0]["start"]["rating"] = 2700
    file = [("files", ("event.json", json.dumps(changed).encode()))]
    data = {"mark": mark, "event": "all", "reason": "more"}
    reply = here.client.post("/upload/submit", data=data, files=file, follow_redirects=True)
    assert "Asked for (entry" in reply.text
    priors = {one.prior for about, one in posted(here.office).items() if about.event_id == "all"}
    assert 2600.0 in priors
    assert confirm(here.office, AUTHOR, "all", date(2026, 11, 15)).is_stored
    run(here.office)
    priors = {one.prior for about, one in posted(here.office).items() if about.event_id == "all"}
    assert 2700.0 in priors


def test_a_dual_system_that_a_file_dropped_comes_back(here: Site) -> None:
    """Readings 73: only Regular is named, for the Quick ratings are too few games old; the office waives that."""
    quick = [opening(number, 1700.0, 10.0, system=RatingSystem.OTBQ) for number in (5, 6)]
    join(here.office, [], quick)
    run(here.office)
    event = event_of("all")
    players = [row(1, "W2", 5), row(2, "L1", 6)]
    dual = {"number": 1, "type": "match", "time_control": "G/60;d5", "systems": ["OTBR"], "players": players}
    event["sections"] = [dual]
    assert sent(here, "director", event)[0] == 200
    waiver = Ruling(DecisionKind.WAIVE_MATCH, event_id="all", section=1)
    with pytest.raises(Exception, match="held for more than the conditions of a match"):
        decide(here.office, AUTHOR, waiver)
    assert here.accept("anna", "all", refuse="yes")[0] == 200
    with here.office.reading() as connection:
        (heading,) = known(connection).record.headings_of("all")
    assert heading.systems == (RatingSystem.OTBR,)  # each system by itself: Quick is not published
    decide(here.office, AUTHOR, waiver)
    run(here.office)
    rated_in = {about.system for about in posted(here.office) if about.event_id == "all"}
    assert rated_in == {RatingSystem.OTBR, RatingSystem.OTBQ}
    assert not audit(here.office).findings
    assert member_id(5) in {about.member_id for about in posted(here.office)}
