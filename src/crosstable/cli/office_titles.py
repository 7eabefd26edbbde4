"""Titles of members, as people and programs read them."""

from collections.abc import Sequence
from typing import Any

from crosstable.office.titles import Title


def titles_text(titles: Sequence[Title]) -> str:
    """The titles of a member, each with the day it was earned."""
    return "titles: " + ", ".join(f"{title.kind.value} ({title.earned})" for title in titles)


def title_objects(titles: Sequence[Title]) -> list[dict[str, Any]]:
    """The titles of a member, for programs."""
    return [{"title": title.kind.value, "earned": title.earned, "event": title.event_id or None} for title in titles]
