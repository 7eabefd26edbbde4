"""The tables of who may come in: accounts, mailboxes, tokens, sessions, failed tries to log in, and proposals.

They are no part of the record: their rows change, no entry vouches for them, no list holds them. What the
people behind them do is recorded by acts, like everything else; what is done to accounts is in the security log.
"""

from sqlalchemy import DDL, Boolean, Column, Index, Integer, MetaData, String, Table, Text, event

metadata = MetaData()

account = Table(
    "account",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("full_name", Text, nullable=False),
    Column("role", String(12), nullable=False),
    Column("affiliate", String(16), nullable=False),
    # argon2id, with its salt and its cost
    Column("password", String(200), nullable=False),
    Column("is_disabled", Boolean, nullable=False),
    Column("made", String(32), nullable=False),
    Column("last_login", String(32)),
)

# where the notices of an account are mailed to, and the last journal entry that was told
mailbox = Table(
    "mailbox",
    metadata,
    Column("account", String(40), primary_key=True),
    Column("address", String(254), nullable=False),
    Column("told", Integer, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("token_id", String(12), primary_key=True),
    # SHA-256 of the token, which nobody keeps
    Column("digest", String(64), nullable=False),
    Column("owner", String(40), nullable=False),
    Column("scope", String(12), nullable=False),
    Column("affiliate", String(16), nullable=False),
    Column("made", String(32), nullable=False),
    Column("expires", String(32), nullable=False),
    Column("last_used", String(32)),
    Column("revoked", String(32)),
)
Index("token_by_digest", token.c.digest, unique=True)

session = Table(
    "session",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("kind", String(8), nullable=False),
    # empty: the one person at the machine itself
    Column("account", String(40), nullable=False),
    Column("expires", String(32), nullable=False),
)
Index("session_of_account", session.c.account)

failed_login = Table(
    "failed_login",
    metadata,
    Column("failure_id", String(32), primary_key=True),
    Column("at", String(32), nullable=False),
    Column("name", String(40), nullable=False),
    Column("address", String(48), nullable=False),
)
Index("failed_login_by_time", failed_login.c.at)

proposal = Table(
    "proposal",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(12), nullable=False),
    # what would be done, in JSON
    Column("wish", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("proposed_by", String(40), nullable=False),
    Column("proposed_at", String(32), nullable=False),
    Column("state", String(10), nullable=False),
    Column("settled_by", String(40)),
    Column("settled_at", String(32)),
    # the act that carried it out
    Column("act", Integer),
)

# who did what to accounts, who logged in, who read birth dates: appended, never changed, each entry bound to the last
security_log = Table(
    "security_log",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(32), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("actor", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("details", Text, nullable=False),
    # the salt of the three texts above or, once they are erased, their salted hash
    Column("salt", String(64), nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
)
for _deed in ("UPDATE", "DELETE"):
    _guard = DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER security_log_keeps_{_deed.lower()} BEFORE {_deed} ON security_log "
        "BEGIN SELECT RAISE(ABORT, 'append-only: security_log is never changed'); END"
    )
    event.listen(security_log, "after_create", _guard.execute_if(dialect="sqlite"))
