"""How templates write numbers, days and addresses."""

from enum import StrEnum

import pytest
from jinja2 import DictLoader
from markupsafe import Markup, escape

from crosstable.app.templating import Site, environment_of, visible
from crosstable.sentences import counted
from crosstable.web.templating import address, day, places, plain, signed


class System(StrEnum):
    OTBR = "<OTBR>"


def test_words_of_templates() -> None:
    assert (signed(3.2), signed(-3.2, 1), signed(0.2)) == ("+3", "\N{MINUS SIGN}3.2", "0")
    assert (places(3.0), places(-3.25)) == (0, 2)
    assert address("events", "a/b c", 3) == "/events/a%2Fb%20c/3"
    assert str(plain("<b>\x07")) == "<bdi>&lt;b&gt;\\u0007</bdi>"
    assert (counted(1, "section"), counted(1204, "section")) == ("1 section", "1,204 sections")
    assert str(day("2026-07-04")) == '<time datetime="2026-07-04">Jul 4, 2026</time>'


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "<b>",
        "a \"quote\" & 'more'",
        "\u202eturned\x07",
        "",
        7,
        2.5,
        None,
        Markup("<i>a piece</i>"),
        System.OTBR,
    ],
)
def test_what_a_template_prints_is_visible_and_escaped(value: object) -> None:
    """As Jinja does it in three steps: ``finalize``, ``escape``, ``Markup``."""
    made = environment_of(
        DictLoader({"one": "{{ value }}|{% set kept %}{{ value }}{% endset %}{{ kept }}"}), Site(is_demo=False)
    )
    due = str(escape(visible(value)))
    assert made.get_template("one").render(value=value) == f"{due}|{due}"
