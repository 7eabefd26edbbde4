"""Every estimate has a link that reproduces it: a request as a query string, and back."""

from collections.abc import Iterator
from datetime import date
from urllib.parse import parse_qsl, quote

from crosstable.calculator.notation import game_text, number_text, other_text, outside_text
from crosstable.calculator.reading import MOST_FIELDS, RequestReading, read_request
from crosstable.calculator.requests import EstimateRequest
from crosstable.faults import fault

PATH = "/estimate"
LONGEST_LINK = 8000
# Characters that a query string may hold as they are, so that links stay readable.
PLAIN = ":@/,?"


def fields_of(request: EstimateRequest) -> tuple[tuple[str, str], ...]:
    """A request as named texts, those of a form as well as of a link."""
    return tuple(_fields(request))


def _fields(request: EstimateRequest) -> Iterator[tuple[str, str]]:
    yield "date", request.section_date.isoformat()
    if request.system is not None:
        yield "system", request.system.name
    if request.control:
        yield "control", request.control
    yield "rating", "U" if request.rating is None else number_text(request.rating)
    for name, number in (
        ("games", request.games),
        ("events", request.events),
        ("peak", request.peak),
        ("floor", request.floor),
        ("age", request.age),
        ("field", request.field_rating),
    ):
        if number is not None:
            yield name, number_text(number)
    if request.record is not None:
        yield "record", "-".join(map(str, request.record))
    yield from _background_fields(request)
    for name, flag in (("online", request.is_online), ("dual", request.is_dual), ("match", request.is_match)):
        if flag:
            yield name, "1"
    if request.opponents_at is not None:
        yield "opponents", request.opponents_at.value
    yield from (("game", game_text(opponent)) for opponent in request.opponents)


def _background_fields(request: EstimateRequest) -> Iterator[tuple[str, str]]:
    if request.birth_date is not None:
        yield "birth", request.birth_date.isoformat()
    if request.adult is not None:
        yield "adult", "1" if request.adult else "0"
    if request.fide is not None:
        yield "fide", outside_text(request.fide)
    if request.cfc is not None:
        yield "cfc", outside_text(request.cfc)
    if request.canadian_resident:
        yield "canadian", "1"
    yield from (("other", other_text(system, standing)) for system, standing in request.others)


def query_of(request: EstimateRequest) -> str:
    """The query string of a request; all games stand in one field, commas between them."""
    every = fields_of(request)
    fields = [(name, text) for name, text in every if name != "game"]
    games = ",".join(text for name, text in every if name == "game")
    if games:
        fields.append(("game", games))
    return "&".join(f"{name}={quote(text, safe=PLAIN)}" for name, text in fields)


def link_of(request: EstimateRequest) -> str:
    """The address, on any site of ours, that reproduces an estimate."""
    return f"{PATH}?{query_of(request)}"


def read_link(link: str, today: date) -> RequestReading:
    """The request of a link or of its query string alone; a part after ``#`` is left away."""
    if len(link) > LONGEST_LINK:
        message = f"The link has {len(link)} characters; {LONGEST_LINK} are the most."
        return RequestReading(None, (fault("bad-value", "link", message, "Leave games out."),))
    query = link.partition("#")[0]
    if "?" in query.partition("=")[0]:
        query = query.partition("?")[2]
    try:
        fields = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        message = f"The link has more than {MOST_FIELDS} fields."
        return RequestReading(None, (fault("bad-value", "link", message, "Leave games out."),))
    return read_request(fields, today)
