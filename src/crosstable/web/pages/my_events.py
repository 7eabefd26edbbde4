"""My events: what became of the events of a director's affiliate, what to do next, and their ratings to the decimal."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import urlencode
from xml.etree import ElementTree

from fastapi import Request, Response

from crosstable.engine import RatedSection
from crosstable.office.comparing import public_differences
from crosstable.office.credentials import feed_of, make_feed
from crosstable.office.database import Office
from crosstable.office.jobs import JobKind, JobState, jobs
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.ledger.journal import EntryKind
from crosstable.office.ledger.journal import act_of as act_of_record
from crosstable.office.public import public_act
from crosstable.office.public_index import acts_about
from crosstable.office.published import CENTRAL
from crosstable.office.sections import EventFact
from crosstable.office.submissions import event_of, events_of
from crosstable.office.supplements import Basis, Supplement
from crosstable.office.views import known, rated_section
from crosstable.output.words import printable
from crosstable.web.acting import Corrected, require_event
from crosstable.web.forms import PRIVATE, actor_in, in_office, page, read_anew, went
from crosstable.web.gate import number_of, office_of, reading_of
from crosstable.web.pages.members import Coming, coming
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route
from crosstable.web.shapes import JournalEntryShape, act_of
from crosstable.web.templating import address
from crosstable.web.uploads import Upload

MOST_EVENTS = 100
MOST_NOTICES = 20
MOST_SENT = 20
_CORRECTED = (EntryKind.CORRECT, EntryKind.CONFIRM)
# What has become of an event, and what its director does next.
NEXT = {
    "held": "It is not rated yet: see what is to be put right, or what waits for the office.",
    "correction asked for": "Nothing to do: the office looks at your correction.",
    "waiting": "Nothing to do: it is rated with the next rating run.",
    "rated": "Look at the ratings. If a result is wrong, ask for a correction.",
    "corrected": "Look at the ratings after the correction.",
    "withdrawn": "Nothing to do: it counts for nobody.",
}


class OwnEvent(NamedTuple):
    """An event of an affiliate: its sections, what was asked for, and everything that was done about it."""

    event: EventFact
    state: str
    sections: list[Heading]
    asked: list[Heading]
    notices: list[JournalEntryShape]
    run: int

    @property
    def accepted(self) -> int:
        """The journal entry with which its ratings are as they are; 0 while nobody is rated by it."""
        return max((one.act for one in self.sections if one.state is State.ACCEPTED), default=0)

    @property
    def to_do(self) -> str:
        """What its director does next."""
        return NEXT[self.state]


def own_event(record: Record, run: int, event: EventFact) -> OwnEvent:
    """An event as its director sees it."""
    sections, asked = record.headings_of(event.event_id), record.requests(event.event_id)
    acts = acts_about(record.connection, event.event_id)
    is_corrected = any(act.kind in _CORRECTED for act in acts)
    state = _state(sections, asked, run, is_corrected=is_corrected)
    notices = [act_of(public_act(act)) for act in reversed(acts)][:MOST_NOTICES]
    return OwnEvent(event, state, sections, asked, notices, run)


def _state(sections: Sequence[Heading], asked: Sequence[Heading], run: int, *, is_corrected: bool) -> str:
    if asked:
        return "correction asked for"
    if any(one.state is State.HELD for one in sections):
        return "held"
    accepted = [one for one in sections if one.state is State.ACCEPTED]
    if not accepted:
        return "withdrawn"
    if any(one.act > run for one in accepted):
        return "waiting"
    return "corrected" if is_corrected else "rated"


def own_events(office: Office, affiliate: str) -> list[OwnEvent]:
    """The events of an affiliate, the newest first."""
    with office.reading() as connection:
        record, run = known(connection)
        return [own_event(record, run, one) for one in events_of(record, affiliate)[:MOST_EVENTS]]


def notices_of(events: Sequence[OwnEvent]) -> list[JournalEntryShape]:
    """What was done about events, the newest first."""
    found = sorted((one for event in events for one in event.notices), key=lambda one: one.act, reverse=True)
    return found[:MOST_NOTICES]


async def my_events(request: Request) -> Response:
    """The events of the affiliate, with what was done about them."""
    return went("/administration") if actor_in(request).is_office else await _my_events(request)


async def _my_events(request: Request, feed: str = "") -> Response:
    office, affiliate = office_of(request), actor_in(request).affiliate
    events = await in_office(own_events, office, affiliate)
    sent = [one for one in await in_office(jobs, office, affiliate=affiliate) if one.kind is JobKind.SUBMIT]
    names = {one.event.event_id: one.event.name or one.event.event_id for one in events}
    return page(
        request,
        "administration/my_events.html",
        events=events,
        sent=[one for one in sent if one.is_open or one.state is JobState.FAILED][:MOST_SENT],
        notices=notices_of(events),
        event_names=names,
        feed=feed,
        sends_mail=request.app.state.mail_server is not None,
        coming=_official(reading_of(request)),
        lists={one.event.event_id: _list_of(reading_of(request), one) for one in events},
    )


async def make_feed_address(request: Request) -> Response:
    """An address for a feed reader; it is shown on this page only."""
    actor = actor_in(request)
    if actor.is_office:
        return went("/administration")
    secret = await in_office(make_feed, office_of(request), actor.name)
    return await _my_events(request, f"{request.base_url}feeds/{secret}")


async def feed(request: Request, secret: str) -> Response:
    """The notices of an account as an Atom feed (RFC 4287), for whoever has its address."""
    office, base = office_of(request), str(request.base_url).rstrip("/")
    account = await in_office(feed_of, office, secret[:200])
    if account is None:
        raise Problem(404, "This feed has ended, or its address is not right. My events makes a new one.")
    events = await in_office(own_events, office, account.affiliate)
    notices = notices_of(events)
    names = {one.event.event_id: printable(one.event.name or one.event.event_id) for one in events}
    top = ElementTree.Element("feed", xmlns="http://www.w3.org/2005/Atom")
    newest = notices[0].at if notices else account.made.isoformat()
    _texts(top, id=f"{base}/my-events#{account.name}", title=f"Events of {account.affiliate}", updated=newest)
    ElementTree.SubElement(top, "link", href=f"{base}/my-events")
    for one in notices:
        entry = ElementTree.SubElement(top, "entry")
        title = f"{names[one.about]}: {printable(one.actor)} {printable(one.words)}"
        _texts(entry, id=f"{base}/changes/{one.act}", title=title, updated=one.at, summary=printable(one.reason))
        _texts(ElementTree.SubElement(entry, "author"), name=printable(one.actor))
        ElementTree.SubElement(entry, "link", href=f"{base}{address('my-events', one.about)}")
    content = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return Response(content, media_type="application/atom+xml", headers=dict(PRIVATE))


def _texts(parent: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(parent, name).text = text


async def my_event(request: Request, event_id: str) -> Response:
    """One event: what became of each section, every finding, and the ratings in full."""
    actor, office = actor_in(request), office_of(request)
    await in_office(require_event, office, actor, event_id)

    def found() -> tuple[OwnEvent, dict[int, tuple[RatedSection, ...]], list[str]]:
        with office.reading() as connection:
            record, run = known(connection)
            event = own_event(record, run, event_of(record, event_id))
            seen = Record(connection, run)
            rated = {
                one.number: rated_section(seen, run, one)
                for one in event.sections
                if one.state is State.ACCEPTED and one.act <= run
            }
            entry = act_of_record(connection, number_of(query, "entry"))
            is_own = entry is not None and entry.subject == event_id and entry.kind is EntryKind.CORRECT
            said = [str(one) for one in entry.after["differences"]] if entry is not None and is_own else []
            return event, rated, said if actor.is_office else public_differences(said)

    query = request.query_params
    event, rated, differences = await in_office(found)
    return page(
        request,
        "administration/my_event.html",
        own=event,
        rated=rated,
        coming=_official(reading_of(request)),
        list=_list_of(reading_of(request), event),
        entry=next((one for one in event.notices if one.act == number_of(query, "entry")), None),
        proposal=number_of(query, "proposal"),
        run=number_of(query, "run"),
        differences=differences,
    )


async def told_of_correction(request: Request, corrected: Corrected, upload: Upload | None = None) -> Response:
    """What became of a correction: the page of its event, or why nothing was stored."""
    await read_anew(request)
    made = corrected.correction
    if not made.is_stored:
        return page(request, "administration/submitted.html", 422, upload=upload, submitted=None, corrected=corrected)
    run = 0 if corrected.run is None else corrected.run.act
    more = {"entry": made.act, "proposal": corrected.proposal or 0, "run": run}
    return went(f"{address('my-events', made.event_id)}?{urlencode(more)}")


def _official(reading: Reading) -> Coming | None:
    """The list with which ratings of now become official; not known while the record is read for the first time."""
    return None if reading.tag is None else coming(reading.now)


def _list_of(reading: Reading, own: OwnEvent) -> str:
    """The month of the first published list that took the event's ratings in; empty while none has."""
    if reading.tag is None or own.state not in ("rated", "corrected"):
        return ""
    ended = own.event.ended
    return next((one.month for one in reading.now.lists if own.accepted < one.run and _was_over(ended, one)), "")


def _was_over(ended: date | None, listed: Supplement) -> bool:
    """Whether an event was played in time for a list that goes by days of play."""
    return listed.basis is not Basis.PLAYED or ended is None or ended <= listed.cut_off.astimezone(CENTRAL).date()


ROUTES = (
    Route("/my-events", my_events, Policy.TD),
    Route("/my-events/feed", make_feed_address, Policy.TD, ("POST",)),
    Route("/feeds/{secret}", feed, Policy.PUBLIC),
    Route("/my-events/{event_id}", my_event, Policy.TD),
)
