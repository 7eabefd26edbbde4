"""The page of a package index: the README, whose links to files of the project would lead nowhere there."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:)[^)]*\)")


class PackagePage(MetadataHookInterface):
    """Puts the page into the metadata of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the page."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": page(text)}


def page(text: str) -> str:
    """A text without pictures of the project, and with the words of links to its files."""
    return _RELATIVE.sub(lambda found: "" if found[1] else found[2], text)
