"""Mail to directors: the notices of My events, for those who gave an address, where an SMTP server is configured.

The record is the queue. A mailbox remembers the last journal entry that it was told of, so no request waits for a mail
server, a restart loses nothing, and of several worker processes one sends. What cannot be sent is told in the log.
"""

import logging
import smtplib
import ssl
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from typing import NamedTuple

from crosstable.office.accounts import Mailbox, mailboxes_behind, set_told
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import EntryKind, JournalEntry, acts, last_act_of
from crosstable.office.mail_server import MailServer
from crosstable.office.submissions import event_of
from crosstable.office.views import known
from crosstable.output.words import printable
from crosstable.web.acting import event_affiliate
from crosstable.web.pages.my_events import OwnEvent, own_event
from crosstable.web.templating import address

LOG = logging.getLogger("crosstable.web")
# How long a mail server may take to answer, in seconds.
PATIENCE = 20.0
MOST_ENTRIES = 200
_PERMANENT = 500
_ABOUT_EVENTS = (EntryKind.SUBMIT, EntryKind.CONFIRM, EntryKind.CORRECT, EntryKind.WITHDRAW)


class News(NamedTuple):
    """What a mail tells of one event: how it stands, and the notices that are new."""

    event: OwnEvent
    entries: list[int]


def send_due(office: Office, server: MailServer, settled: float = 0.0) -> int:
    """Tell every mailbox what it has not been told, entries of the last seconds excepted; returns how many were."""
    sent, failed = 0, None
    with office.reading() as connection:
        newest = last_act_of(connection, office.clock() - timedelta(seconds=settled))
        record, run = known(connection)
        due = [(box, _news(record, run, box, newest)) for box in mailboxes_behind(connection, newest)]
    for box, news in due:
        if not set_told(office, box, newest) or not news:
            continue
        try:
            _send(server, message(server, box.address, news))
            sent += 1
        except OSError as error:  # what SMTP refuses is one too
            if _is_final(error):
                LOG.warning("mail to %s was refused, and is not tried again: %s", box.account, error)
                continue
            set_told(office, box._replace(told=newest), box.told)
            failed = error
            if not isinstance(error, smtplib.SMTPException):
                break  # nobody answers there
    if failed is not None:
        raise failed
    return sent


def _is_final(error: OSError) -> bool:
    """Whether a mail would be refused again (RFC 5321: 5yz); a sender that is refused is a setting to put right."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= _PERMANENT for code, _ in error.recipients.values())
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= _PERMANENT


def _news(record: Record, run: int, box: Mailbox, newest: int) -> list[News]:
    """The events of an affiliate about which there is something new, a first rating included."""
    found: dict[str, list[int]] = {}
    for entry in _entries(record, box, newest):
        if entry.subject not in found and event_affiliate(record, entry.subject) != box.affiliate:
            continue
        found.setdefault(entry.subject, []).append(entry.seq)
    return [News(own_event(record, run, event_of(record, event_id)), entries) for event_id, entries in found.items()]


def _entries(record: Record, box: Mailbox, newest: int) -> Iterator[JournalEntry]:
    """Entries about events that a mailbox was not told of, and those that a run has rated since it was."""
    before = [entry for entry in acts(record.connection, max(0, box.told - MOST_ENTRIES)) if entry.seq <= newest]
    runs = [entry.seq for entry in before if entry.kind is EntryKind.RATE]
    rated = [one for one in runs if one > box.told]
    since = max((one for one in runs if one <= box.told), default=0) if rated else box.told
    for entry in before:
        if entry.kind in _ABOUT_EVENTS and entry.seq > since:
            yield entry


def message(server: MailServer, to: str, news: list[News]) -> EmailMessage:
    """A mail with all the news of a mailbox."""
    names = [printable(one.event.event.name or one.event.event.event_id) for one in news]
    made = EmailMessage()
    made["From"], made["To"] = server.sender, to
    made["Subject"] = f"{names[0]}: {news[0].event.state}" if len(news) == 1 else f"News of {len(news)} events"
    made["Auto-Submitted"] = "auto-generated"
    parts = [_part(server, name, one) for name, one in zip(names, news, strict=True)]
    last = f"You gave this address for notices of your events. To change or remove it: {server.site}/account"
    made.set_content("\n\n".join([*parts, last]) + "\n")
    return made


def _part(server: MailServer, name: str, news: News) -> str:
    event = news.event
    said = [one for one in event.notices if one.act in news.entries]
    lines = [f"{printable(one.actor)} {printable(one.words)}{_why(one.reason)}" for one in reversed(said)]
    link = f"{server.site}{address('my-events', event.event.event_id)}"
    return "\n".join([f"{name}: {event.state}. {event.to_do}", *lines, link])


def _why(reason: str) -> str:
    return f": {printable(reason)}" if reason else ""


def _send(server: MailServer, made: EmailMessage) -> None:
    secure = ssl.create_default_context()
    if server.security == "tls":
        opened: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=PATIENCE, context=secure)
    else:
        opened = smtplib.SMTP(server.host, server.port, timeout=PATIENCE)
    with opened as connection:
        if server.security == "starttls":
            connection.starttls(context=secure)
        if server.user:
            connection.login(server.user, server.password)
        connection.send_message(made)
