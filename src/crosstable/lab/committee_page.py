"""The committee's report as one web page: a table and a plot for every topic, and the command that makes it again."""

import math
import shlex
from collections.abc import Iterator, Sequence

from crosstable.lab.committee import TOPICS, Answer, Committee, lead_of
from crosstable.lab.documents import write_whole
from crosstable.lab.report_content import Block, Part, Table, capital, estimate, figure, number, paragraph, table
from crosstable.lab.reporting import file_of, page_of, versions
from crosstable.output.charts import Axes, Point, Row, row_plot
from crosstable.rules.rule_files import rules_text
from crosstable.rules.rule_sets import RuleSet


def write_page(found: Committee, path: str) -> None:
    """Write the page."""
    write_whole(path, page(found))


def page(found: Committee) -> str:
    """The page, which needs nothing else."""
    title = f"{capital(found.rules.name)} instead of {found.against.name}"
    by_topic = {topic: [one for one in found.answers if one.figure.topic == topic] for topic in TOPICS}
    parts = [Part(topic, TOPICS[topic], list(_blocks(answers))) for topic, answers in by_topic.items()]
    return page_of(title, lead_of(found), [_summary(found), *parts, _repeat(found)])


def _summary(found: Committee) -> Part:
    rows = []
    for one in found.answers:
        low, high = (number(end, one.figure.digits + 1) for end in one.span)
        rows.append([capital(one.figure.name), one.verdict, f"{low} to {high}"])
    shown = Table("What moves, by how much, how sure", ["", "with the change", "difference over all federations"], rows)
    return Part("summary", "What moves", [table(shown)])


def _blocks(answers: Sequence[Answer]) -> Iterator[Block]:
    for one in answers:
        digits = one.figure.digits
        caption = capital(one.figure.name)
        yield paragraph(f"{caption}: {one.verdict}.", "finding")
        rows = [Row(moved.federation, (Point(0, *moved.difference),)) for moved in one.moved]
        if any(math.isfinite(moved.difference.low) for moved in one.moved):
            axes = Axes(f"Difference: {one.figure.name}", "with the change less without", level=0.0)
            yield figure(row_plot(rows, axes), f"{caption}: with the change less without, 95 % intervals over seeds")
        cells = [
            [name, number(now.value, digits), number(then.value, digits), estimate(gap, digits + 1)]
            for name, now, then, gap in one.moved
        ]
        yield table(Table(caption, ["", "now", "with the change", "difference"], cells))


def _repeat(found: Committee) -> Part:
    blocks: list[Block] = []
    options = []
    for word, rules in (("--rules", found.rules), ("--against", found.against)):
        name = file_of(rules)
        if isinstance(rules, RuleSet) and name.endswith(".toml"):
            blocks += [paragraph(f"Put this into {name}:"), ("code", (rules_text(rules),))]
        if name != "official":
            options.append(f"{word} {shlex.quote(name)}")
    options += [f"--federation {name}" for name in found.federations]
    options.append(f"--members {found.members} --seeds {len(found.seeds)} --seed {found.seeds[0]} --out report.html")
    facts = [("versions", ", ".join(f"{name} {number}" for name, number in versions().items()))]
    blocks += [("definitions", (facts,)), ("code", (f"crosstable lab committee {' '.join(options)}",))]
    return Part("repeat", "To repeat it", blocks)
