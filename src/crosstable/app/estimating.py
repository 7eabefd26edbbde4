"""An estimate by its address: the question that the address holds, every answer to it, and the page that shows them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from crosstable.calculator.answers import (
    Answer,
    answer,
    answer_object,
    estimate_document,
    next_game_object,
    norm_chances_object,
    outcomes_object,
    possibility_object,
)
from crosstable.calculator.reading import RequestReading, link_of, read_game, read_request
from crosstable.calculator.requests import EstimateRequest
from crosstable.calculator.what_if import (
    MOST_TO_COME,
    NextGame,
    NormChances,
    Outcomes,
    Possibility,
    events_to,
    next_game,
    norm_chances,
    outcomes,
    score_chances,
    score_needed,
)
from crosstable.errors import Fault, UnratableSectionError
from crosstable.faults import fault
from crosstable.notation import read_number
from crosstable.output.charts import Point, Series, rating_chart
from crosstable.pipeline.documents import fault_object

Fields = Sequence[tuple[str, str]]
TEMPLATE = "estimate.html"
# Questions that stand beside a request in an address; everything else in it is the request.
QUESTIONS = ("next", "target", "range", "norms")
# Fields of an address that the form carries along without showing them.
UNSEEN = frozenset({"events", "floor", "birth", "adult", "canadian", "opponents", "field"})
# What an answer may have for the page.
_PARTS = ("headline", "estimate", "next_game", "target", "outcomes", "norms", "link", "old_page", "typical_error")


class Asked(NamedTuple):
    """What an address asks: the request, what is wrong with it, and the questions beside it."""

    fields: Fields
    reading: RequestReading
    questions: dict[str, str]


class Answered(NamedTuple):
    """Everything that was answered; ``faults`` where something could not be."""

    found: Answer | None
    outcomes: Outcomes | None
    next_game: NextGame | None
    target: float | None
    needed: Possibility | None
    norms: NormChances | None
    faults: tuple[Fault, ...]


def asked_of(fields: Fields) -> Asked:
    """The question that an address holds. Without a game yet, the next opponent alone is enough."""
    today = datetime.now(tz=UTC).date()
    questions = {name: text.strip() for name, text in fields if name in QUESTIONS and text.strip()}
    plain = [(name, text) for name, text in fields if name not in QUESTIONS]
    if "next" in questions and not any(name == "game" and text.strip() for name, text in plain):
        first = read_request([*plain, ("game", _to_come(questions["next"]))], today)
        if first.request is not None:
            first = first._replace(request=first.request._replace(opponents=()))
        return Asked(plain, first, questions)
    return Asked(plain, read_request(plain, today), questions)


def _to_come(text: str) -> str:
    return f"T{text.lstrip('WDLTwdlt?')}"


def answered(reading: RequestReading, questions: dict[str, str]) -> Answered:
    """The answers to a request and to the questions beside it; what cannot be answered becomes a fault."""
    request = reading.request
    if request is None:
        return Answered(None, None, None, None, None, None, reading.faults)
    try:
        return _answered(request, questions, reading.faults)
    except UnratableSectionError as error:
        return Answered(None, None, None, None, None, None, (*reading.faults, *error.faults))


def _answered(request: EstimateRequest, questions: dict[str, str], faults: tuple[Fault, ...]) -> Answered:
    found = answer(request) if request.games_with_result else None
    coming = None
    if "next" in questions:
        try:
            coming = next_game(request, read_game(_to_come(questions["next"])))
        except ValueError as error:
            faults += (fault("bad-value", "next", str(error)),)
    target = None
    if "target" in questions:
        try:
            target = read_number(questions["target"])
        except ValueError as error:
            faults += (fault("bad-value", "target", str(error)),)
    games = request.games_to_come or request.games_with_result
    is_wanted = "range" in questions or target is not None or (found is None and games > 0)
    all_scores = outcomes(request) if is_wanted and 0 < games <= MOST_TO_COME else None
    needed = score_needed(all_scores, target) if all_scores is not None and target is not None else None
    norms = norm_chances(request) if "norms" in questions and games else None
    return Answered(found, all_scores, coming, target, needed, norms, faults)


def document_of(done: Answered) -> dict[str, Any]:
    """The answers for programs: the same as ``crosstable estimate --json`` prints."""
    document = estimate_document({}) if done.found is None else answer_object(done.found)
    if done.next_game is not None:
        document["next_game"] = next_game_object(done.next_game)
    if done.outcomes is not None:
        document["outcomes"] = outcomes_object(done.outcomes)
    if done.target is not None:
        needed = None if done.needed is None else possibility_object(done.needed)
        document["target"] = {"target": done.target, "needed": needed}
    if done.norms is not None:
        document["norms"] = norm_chances_object(done.norms)
    if done.faults:
        document["faults"] = [fault_object(one) for one in done.faults]
    return document


def outcome_chart(found: Outcomes, mine: float | None) -> Markup:
    """The rating for every score, as a line; the score that was made is a point of its own."""
    points = [
        Point(one.score, one.rating, label=f"{one.score:g} points: {one.official} ({one.change:+.0f})")
        for one in found.possibilities
    ]
    level = [Point(points[0].at, found.before), Point(points[-1].at, found.before)]
    series = [Series("now", tuple(level), "level"), Series("after", tuple(points), "otbr")]
    if mine is not None:
        series.append(Series("yours", tuple(point for point in points if point.at == mine), "otbq"))
    title = "The new rating for every score; the table below has the same numbers."
    return Markup(rating_chart(series, title, is_by_date=False))  # its texts are escaped


# The page.


def form_context(fields: Fields, games: str, names: Sequence[str] = (), player: Any = None) -> dict[str, Any]:  # noqa: ANN401
    """What the form shows of an address; ``player`` and ``names`` are the people that it names."""
    given = defaultdict(str, fields)
    given["rating"] = _rating_text(given) if player is None else player.member_id
    given["other"] = next((text for name, text in fields if name == "other"), "")
    return {
        **{"given": given, "games": games, "done": None, "document": None, "path": None},
        **{"unseen": list(_unseen(fields)), "player": player, "names_of": names},
    }


def is_asked(context: Mapping[str, Any], *, has_games: bool) -> bool:
    """Whether an address asks anything; an empty form does not."""
    given = context["given"]
    if any(given[name].strip() for name in ("game", "next")):
        return True
    return has_games and given["rating"].strip() != ""


def beside(question: Asked) -> dict[str, str]:
    """What the page asks beside a request."""
    return {"range": "1", "norms": "1", **question.questions}


def answer_context(question: Asked, done: Answered) -> dict[str, Any]:
    """What the page says about an answer."""
    context: dict[str, Any] = {"link": _link(question), "done": done}
    context["document"] = {**dict.fromkeys(_PARTS), **document_of(done)}
    if done.outcomes is not None:
        mine = None if done.found is None else done.found.estimate.score
        context["chart"] = outcome_chart(done.outcomes, mine)
        assert question.reading.request is not None
        context["chances"] = score_chances(question.reading.request)
        if done.target is not None and done.found is not None:
            context["path"] = events_to(question.reading.request, done.target)
    return context


def _rating_text(given: Mapping[str, str]) -> str:
    """The rating with its games, as the field of the form takes them together."""
    rating, games = given.get("rating", "").strip(), given.get("games", "").strip()
    return f"{rating}/{games}" if games and rating.replace(".", "", 1).isdigit() else rating


def _unseen(fields: Fields) -> Iterator[tuple[str, str]]:
    """What an address may say beside the fields of the form: it must not be lost when the form is sent again."""
    others = 0
    for name, text in fields:
        others += name == "other"
        if text.strip() and (name in UNSEEN or (name == "other" and others > 1)):
            yield name, text.strip()


def _link(question: Asked) -> str:
    """The address that asks the same again, with the questions beside the request."""
    request = question.reading.request
    if request is None:
        return ""
    more = [(name, text) for name, text in question.questions.items() if name in ("next", "target")]
    return f"{link_of(request)}{'&' if more else ''}{urlencode(more)}"


def games_text(fields: Fields) -> str:
    """The games of an address as the field of the form takes them."""
    return " ".join(text for name, text in fields if name == "game").replace(",", " ")


def is_refused(done: Answered) -> bool:
    """Whether nothing could be answered."""
    return done.found is None and done.outcomes is None and done.next_game is None
