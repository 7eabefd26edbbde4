"""The rules: what changed when, the edition of a day, what changed between two days."""

from datetime import date
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.errors import NoEditionError
from crosstable.rules.amending import Amendment, Edition
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.documents import evidence_for
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, edition_for
from crosstable.rules.in_words import KNOWN, edition_values
from crosstable.rules.statements import DOCUMENTS, Statement, changed_statements, known_from, statements
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page


class AmendmentShape(BaseModel):
    """A dated change of the rules: what, how it is known, and what official results say of it."""

    effective: str
    stated: str
    announced: str | None
    date_assumed: bool
    summary: str
    knowledge: str
    source: str
    evidence: str


class RulesView(View):
    """What changed when, oldest first."""

    law_seen_through: str
    amendments: list[AmendmentShape]
    editions: list[str]


class StatementShape(BaseModel):
    """A rule in words: its part, the sentence, the section of the document, since when and from where it is known."""

    part: str
    text: str
    section: str
    since: date
    date_assumed: bool
    source: str


class EditionView(View):
    """The rules in force for a section that starts on a day."""

    day: str
    edition: str
    law_seen_through: str
    rules: dict[str, str]
    statements: list[StatementShape]
    documents: str
    amendments: list[AmendmentShape]


class ChangedRule(BaseModel):
    """A rule that differs between two days."""

    name: str
    before: str
    after: str


class ChangedStatementShape(BaseModel):
    """A rule in words that differs between two days; a sentence that is not there is empty."""

    part: str
    section: str
    before: str
    after: str


class ChangedRulesView(View):
    """What changed between two days."""

    since: str
    until: str
    statements: list[ChangedStatementShape]
    changed: list[ChangedRule]
    amendments: list[AmendmentShape]


def amendment_of(one: Amendment) -> AmendmentShape:
    """An amendment in words."""
    return AmendmentShape(
        effective=one.effective.isoformat(),
        stated=one.stated,
        announced=one.announced.isoformat() if one.announced else None,
        date_assumed=one.is_uncertain,
        summary=one.summary,
        knowledge=KNOWN[one.knowledge],
        source=one.source,
        evidence=evidence_for(one).verdict,
    )


def statement_of(edition: Edition, one: Statement) -> StatementShape:
    """A statement with how it is known."""
    known = known_from(edition, one)
    return StatementShape(
        part=one.part,
        text=one.sentence.text,
        section=f"§{one.section}" if one.section else "",
        since=known.since,
        date_assumed=known.is_assumed,
        source=known.source,
    )


def rules(read: Snapshot) -> RulesView:
    """Every dated change of the rules since 2001, oldest first."""
    return RulesView(
        as_of=as_of(read),
        law_seen_through=LAW_SEEN_THROUGH.isoformat(),
        amendments=[amendment_of(one) for one in AMENDMENTS],
        editions=[edition.name for edition in EDITIONS],
    )


def edition(
    read: Snapshot, day: Annotated[date, Path(description="The day on which a section starts.")]
) -> EditionView:
    """The whole law in force for a section that starts on a day."""
    found = _edition_for(day)
    return EditionView(
        as_of=as_of(read),
        day=day.isoformat(),
        edition=found.name,
        law_seen_through=LAW_SEEN_THROUGH.isoformat(),
        rules=edition_values(found),
        documents=DOCUMENTS,
        statements=[statement_of(found, one) for one in statements(found)],
        amendments=[amendment_of(one) for one in found.amendments],
    )


def changed_rules(
    read: Snapshot,
    since: Annotated[date, Query(description="The earlier day.")] = EDITIONS[-2].effective,
    until: Annotated[date, Query(description="The later day.")] = EDITIONS[-1].effective,
) -> ChangedRulesView:
    """Every rule that differs between two days, and the amendments that changed it."""
    earlier, later = sorted((since, until))
    editions = _edition_for(earlier), _edition_for(later)
    before, after = map(edition_values, editions)
    names = dict.fromkeys((*before, *after))
    return ChangedRulesView(
        as_of=as_of(read),
        since=earlier.isoformat(),
        until=later.isoformat(),
        statements=[
            ChangedStatementShape(
                part=one.part,
                section=f"§{one.section}" if one.section else "",
                before=one.before,
                after=one.after,
            )
            for one in changed_statements(*editions)
        ],
        changed=[
            ChangedRule(name=name, before=before.get(name, "-"), after=after.get(name, "-"))
            for name in names
            if before.get(name) != after.get(name)
        ],
        amendments=[amendment_of(one) for one in AMENDMENTS if earlier < one.effective <= later],
    )


def _edition_for(day: date) -> Edition:
    try:
        return edition_for(day)
    except NoEditionError as error:
        raise not_found(f"{str(error)[0].upper()}{str(error)[1:]}.") from error


PAGES = (
    Page("/rules", rules, "rules.html", api="/rules", summary="What changed when", tag="rules"),
    Page(
        "/rules/changes",
        changed_rules,
        "rules_changed.html",
        api="/rules/changes",
        summary="What changed between two days",
        tag="rules",
    ),
    Page("/rules/{day}", edition, "edition.html", api="/rules/{day}", summary="The rules of a day", tag="rules"),
)
