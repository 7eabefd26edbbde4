"""What went wrong, for people as a page and for programs as a problem document (RFC 9457)."""

from typing import Any

from pydantic import BaseModel

MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: "That cannot be understood",
    401: "Log in, or send a token",
    403: "Not allowed",
    404: "Not found",
    405: "That is not done here",
    406: "Not in this form",
    408: "Too slow",
    409: "That does not fit the record",
    413: "Too large",
    415: "Not a kind of content that is read here",
    421: "Not the name of this site",
    422: "Something in the request is wrong",
    429: "Too many requests",
    500: "An error of our own",
    503: "Not ready yet",
}

# What a program does about each of them.
REMEDIES = {
    400: "Send what the operation's example sends.",
    401: "Send a token as Authorization: Bearer crosstable_…; one that is revoked or too old is made anew.",
    403: "Ask the office for an account that may do this, or for a token of the event's affiliate.",
    404: "Check the id; /api/v1/members?q= and /api/v1/events?q= find people and events.",
    405: "The Allow header names the methods of this address.",
    406: "Leave out Accept, or ask for application/json.",
    408: "Send the body faster, or in smaller files.",
    409: "Read the record again: somebody changed it, or it says so already.",
    413: "Send less: fewer or shorter files, smaller pages.",
    415: "Send the Content-Type that the operation describes.",
    421: "Use a name that this site was started with (serve --name).",
    422: "Correct every field that is listed, and send it again.",
    429: "Wait as many seconds as Retry-After says; a token costs nothing.",
    500: "Nothing was stored. Tell whoever runs the site the X-Request-Id of the reply.",
    503: "Wait as many seconds as Retry-After says, or ask for less.",
}


class ProblemBody(BaseModel):
    """A problem document; ``faults`` and ``errors`` hold every finding, not only the first."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[dict[str, Any]] | None = None
    faults: list[dict[str, Any]] | None = None


class Problem(Exception):  # noqa: N818 (the word of RFC 9457)
    """Raised by whoever cannot answer; becomes a page or a problem document at the door."""

    def __init__(self, status: int, detail: str, *, headers: dict[str, str] | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.more = more

    def body(self, instance: str | None = None) -> ProblemBody:
        """The problem as a document."""
        title = TITLES.get(self.status, "It did not work")
        kind = f"/api#problem-{self.status}" if self.status in TITLES else "about:blank"
        said = {"title": title, "status": self.status, "detail": self.detail, "instance": instance}
        return ProblemBody(type=kind, **said, **self.more)  # type: ignore[arg-type]


def not_found(detail: str) -> Problem:
    """There is nothing at this address."""
    return Problem(404, detail)


def replaced() -> Problem:
    """Another office, or an older state of this one, is in the place of what was served."""
    said = "The database of the office was replaced. Whoever runs this site must stop it and start it again."
    return Problem(503, said, headers={"Retry-After": "60"})


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}},
    }
    for status, description in (
        (404, "Nothing is known at this address."),
        (422, "Something in the question is wrong; every error is listed."),
        (
            503,
            "The record is being read for the first time, or looking this up takes too long; ask again, or for less.",
        ),
    )
}
