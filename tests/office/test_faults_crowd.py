"""A crowd of clients in threads and processes submits at once, a fifth of it twice and a tenth in two versions.

Each event enters once, everybody is told what became of their file, nobody sees a deadlock or a serialization failure,
and after rating the office holds what the fold from zero gives.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.ledger.rerate import rerate
from tests.amounts import amount
from tests.office.children import Children
from tests.office.crowd import MEMBERS, Crowd, contradictions
from tests.office.faults import address_of, raw
from tests.office.made_office import AUTHOR, club_members, derived, join, posted
from tests.office.wholeness import flaws_of

CROWD = Crowd(clients=32, submissions=amount(10, 500), duplicates=0.2, conflicting=0.1)
# Each process is eight clients in eight threads.
PROCESSES = 4
# How often somebody rates meanwhile, and the seconds between.
RUNS = amount(1, 30), 2.0


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        yield made


def test_of_everything_that_a_crowd_submits_each_event_enters_once(
    office: Office, tmp_path: Path, children: Children
) -> None:
    join(office, *club_members(MEMBERS))
    told = submitted_at_once(address_of(office), tmp_path, children)
    assert contradictions(told) == []
    events = {event for event, _, _ in told}
    assert len(events) == round(0.7 * CROWD.clients * CROWD.submissions)
    assert Counter(status for _, _, status in told)["accepted"] == len(events)
    with raw(address_of(office)) as connection:
        assert connection.rows("SELECT count(*) FROM event") == [(len(events),)]
        assert connection.rows("SELECT count(DISTINCT event_id) FROM event") == [(len(events),)]
    rerate(office, AUTHOR)
    assert posted(office) == derived(office)
    assert flaws_of(address_of(office)) == []
    assert audit(office).findings == ()


def submitted_at_once(address: str, folder: Path, children: Children) -> list[tuple[int, int, str]]:
    """Let the crowd go, with one more who rates all the while; returns what each submission was told."""
    rater = children.start("keep_rating", address, *RUNS)
    planned = CROWD.turns(seed=1)
    started = {}
    for process in range(PROCESSES):
        plan, answer = folder / f"plan-{process}", folder / f"answer-{process}"
        plan.write_text(json.dumps(planned[process::PROCESSES]), encoding="utf-8")
        started[answer] = children.start("submit_with_others", address, str(plan), str(answer))
    assert [children.wait(child) for child in started.values()] == [0] * PROCESSES
    assert children.wait(rater) == 0
    return [
        (event, version, status)
        for answer in started
        for event, version, status in json.loads(answer.read_text(encoding="utf-8"))
    ]


def test_answers_that_do_not_fit_are_found() -> None:
    fitting = [(1, 0, "accepted"), (1, 0, "known"), (1, 1, "differs")]
    assert contradictions(fitting) == []
    assert contradictions([*fitting, (1, 1, "accepted")])
    assert contradictions([(1, 0, "accepted"), (1, 0, "differs")])
    assert contradictions([(1, 0, "accepted"), (1, 1, "known")])
    assert contradictions([(1, 0, "known")]) == ["event 1 was never accepted"]
