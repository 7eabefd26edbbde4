"""Audit posted sections as they stand, and count the verdicts; nothing is planted, so ``differs`` is a false alarm.

Usage: ``python -m tools.audit_all FILE|FOLDER... [--api] [--every N]``. Every row that differs is listed (it may be an
error of the federation), and every one on which ``verify`` says otherwise. ``--api`` sends each event through the
stand-in of the ratings API first; ``--every N`` takes every Nth section.
"""

import argparse
import gc
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator

from crosstable.cli.posted import files_in, reports_in
from crosstable.errors import FormatError
from crosstable.formats.event_json_write import write
from crosstable.pipeline.reading import of_reading
from crosstable.pipeline.verifying import posted_pages
from crosstable.uschess import FetchOptions, RatingsApi, event_of
from crosstable.verification.audit import AuditedRow, AuditVerdict, audit
from crosstable.verification.carried import are_inputs_known
from crosstable.verification.pages import Page, Verdict, clean_rows, with_online_fault
from crosstable.verification.whole import settled
from tests.uschess.stand_in import StandIn, api_of

SLOWEST = 5
CONTRADICTIONS = (
    ("agrees", AuditVerdict.DIFFERS),
    ("differs", AuditVerdict.EXPLAINED),
    ("differs", AuditVerdict.REPRODUCED),
)


def main() -> int:
    """Audit and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--api", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    counted: Counter[str] = Counter()
    times: list[tuple[float, str]] = []
    pages = list(_fetched(options.paths) if options.api else _pages(options.paths))
    gc.freeze()  # as the site does when it starts; the command line does not collect at all
    for page in pages[:: options.every]:
        began = time.process_time()
        rows = audit([page])
        times.append((time.process_time() - began, f"{_name(page)} with {len(page.players)} players"))
        _count(counted, page, rows)
    print("\n".join(f"{name}: {number}" for name, number in sorted(counted.items())))
    print(f"{len(times)} sections in {sum(seconds for seconds, _ in times):.1f} s; the slowest:")
    print("\n".join(f"{seconds:.2f} s {name}" for seconds, name in sorted(times, reverse=True)[:SLOWEST]))
    return 0


def _name(page: Page) -> str:
    return f"{page.event_id}, section {page.checked.section.number}, {page.system.name}"


def _pages(paths: list[str]) -> Iterator[Page]:
    for path in files_in(paths):
        try:
            yield from posted_pages((path, report) for report in reports_in(path)).pages
        except FormatError as error:
            print(f"{path}: {error}")


def _fetched(paths: list[str]) -> Iterator[Page]:
    """The same pages as the stand-in serves them and the client fetches them."""
    for path in files_in(paths):
        for report in reports_in(path):
            event = json.loads(write(report))
            with tempfile.TemporaryDirectory() as folder, StandIn(api_of(event)) as server:
                api = RatingsApi(FetchOptions(server.address, folder, pause=0.0))
                with api:
                    fetched = of_reading(event_of(api, event["event"]["id"]))
            yield from posted_pages([(path, fetched)]).pages


def _count(counted: Counter[str], page: Page, rows: list[AuditedRow]) -> None:
    own = with_online_fault(page)
    alone = settled(own, own.backgrounds)
    verified = {row.number: row.verdict for row in alone.rows if row.is_clean} if alone is not None else {}
    clean = clean_rows(page)
    for row in rows:
        is_known = row.number in clean and are_inputs_known(page, page.backgrounds, row.number)
        counted[row.verdict.value] += 1
        counted[f"leaning on {'nothing' if is_known else 'something'} hidden: {row.verdict.value}"] += 1
        if row.verdict is AuditVerdict.DIFFERS:
            gives = f"posted {row.posted:g}, the rules give {row.computed:.2f} ({row.low:.0f} to {row.high:.0f})"
            print(f"differs: {_name(page)}, player {row.number}: {gives} {page.apart} {row.hypotheses[:1]!r:.120}")
        if row.number in verified:
            said = "differs" if verified[row.number] is Verdict.UNEXPLAINED else "agrees"
            counted[f"verify: {said}, audit: {row.verdict.value}"] += 1
            if (said, row.verdict) in CONTRADICTIONS:
                print(f"verify {said}, audit says {row.verdict.value}: {_name(page)}, player {row.number}: {row.cause}")


if __name__ == "__main__":
    sys.exit(main())
