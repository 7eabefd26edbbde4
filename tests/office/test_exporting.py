"""What a person gets who asks what is stored about them: also what texts, findings and jobs say."""

from crosstable.office.corrections import withdraw
from crosstable.office.database import Office
from crosstable.office.jobs import JobKind, NewJob, add_job
from crosstable.office.ledger.journal import Author
from crosstable.office.persons import everything_about
from crosstable.office.submissions import NO_OPTIONS, Document
from crosstable.office.worker import Worker, submission_wish
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, club_members, document, join, member_id, person, report, section


def a_club(office: Office) -> None:
    join(office, *club_members())


def sent(office: Office, file: Document) -> None:
    add_job(office, NewJob(JobKind.SUBMIT, AUTHOR, submission_wish(file, "", NO_OPTIONS), file.content))
    Worker(office).step()


def test_an_export_holds_what_texts_say_of_the_person(copy_of: CopyOf) -> None:
    """A finding names them, a job has a file with them, and an entry about an event says their id."""
    office, mine = copy_of(a_club), person(4)
    chart = section("1 =1 | W2\n2 =2 | L1\n3 =95 | U")
    players = tuple(one._replace(name=mine.name.upper()) if one.number == 3 else one for one in chart.players)
    sent(office, document(report("e", chart._replace(players=players))))
    sent(office, document(report("e", section("1 =4 | W2\n2 =2 | L1"))))
    withdraw(office, Author("anna", f"{mine.member_id} says it was never played"), "e")
    with office.reading() as connection:
        found, other = (everything_about(connection, member_id(number)) for number in (4, 6))
    assert [(one["event_id"], one["section"], one["finding"]["code"]) for one in found["findings"]] == [
        ("e", 1, "member-not-known")
    ]
    assert [(one["kind"], one["subject"]) for one in found["journal"]] == [("withdraw", "e")]
    said = {(one["kind"], one["state"], one["has_file"]) for one in found["jobs"]}
    assert said == {("submit", "failed", True), ("submit", "done", False)}
    assert [other[name] for name in ("findings", "journal", "jobs")] == [[], [], []]
