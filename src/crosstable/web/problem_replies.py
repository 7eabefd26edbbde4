"""A problem as whoever asked can read it: a page for people, a document for programs."""

from fastapi import Request, Response

from crosstable.web.problems import MEDIA_TYPE, Problem
from crosstable.web.replies import HTML, JSON, render


def is_for_programs(request: Request) -> bool:
    """Whether the answer is for a program: the API, the twins, and scripts that ask for JSON and nothing else."""
    path = request.url.path
    return path.startswith("/api/") or path.endswith(".json") or request.headers.get("accept") == JSON


def problem_reply(request: Request, problem: Problem) -> Response:
    """The reply that tells a problem."""
    body = problem.body(request.url.path)
    if is_for_programs(request):
        content = body.model_dump_json(exclude_none=True).encode()
        return Response(content, problem.status, media_type=MEDIA_TYPE, headers=problem.headers)
    page = render(request, "problem.html", problem=body)
    return Response(page, problem.status, media_type=HTML, headers=problem.headers)
