"""The tables of who may come in, and of what waits: accounts, tokens, sessions, failed tries, jobs, proposals.

They are no part of the record: their rows change, no entry vouches for them, no list holds them. What the
people behind them do is recorded by acts, like everything else; what is done to accounts is in the security log. In
SQLite most of them stand in a file of their own, so that nobody who logs in waits for a run (decision 0009).
"""

from sqlalchemy import DDL, Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text, event

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


# what a worker does beside the requests: a rating run, a submission, a supplement ...
job = Table(
    "job",
    metadata,
    Column("job_id", String(16), primary_key=True),
    Column("kind", String(12), nullable=False),
    # what is asked for, in JSON, and the file that came with it
    Column("wish", Text, nullable=False),
    Column("content", LargeBinary),
    Column("author", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("affiliate", String(16), nullable=False),
    # which time of a schedule it is for: no time has two jobs
    Column("slot", String(60)),
    Column("state", String(10), nullable=False),
    Column("made", String(32), nullable=False),
    # not to be begun before
    Column("due", String(32), nullable=False),
    Column("begun", String(32)),
    Column("ended", String(32)),
    Column("tries", Integer, nullable=False),
    # who does it, and until when nobody else may
    Column("worker", String(100)),
    Column("lease", String(32)),
    Column("done", Integer, nullable=False),
    Column("is_canceled", Boolean, nullable=False),
    # what came of it, in JSON, or why it failed
    Column("result", Text),
    Column("error", Text),
)
Index("job_by_state", job.c.state, job.c.due)
Index("job_by_slot", job.c.slot, unique=True)

# the jobs whose effect is in the record, written with it: no job has an effect twice
finished_job = Table(
    "finished_job",
    metadata,
    Column("job_id", String(16), primary_key=True),
    # the first journal entry that it wrote
    Column("act", Integer, nullable=False),
)

# the second factor of an account's login
second_factor = Table(
    "second_factor",
    metadata,
    Column("account", String(40), primary_key=True),
    Column("secret", String(64), nullable=False),
    # the last step whose code was used, and the hashes of the recovery codes that are left
    Column("used", Integer, nullable=False),
    Column("recovery", Text, nullable=False),
    # nothing until a first code was right
    Column("confirmed", String(32)),
)

# What stands with the record wherever it is; all else has a file of its own in SQLite.
WITH_THE_RECORD = (proposal, finished_job)
APART = tuple(table for table in metadata.sorted_tables if table not in WITH_THE_RECORD)

# Of that file alone: which office it belongs to, by the digest of its first journal entry.
file_metadata = MetaData()
belongs = Table("belongs", file_metadata, Column("founding", String(64), primary_key=True))
