"""Templates of another language: what is a text, what is a place, what stays."""

import pytest
from jinja2 import DictLoader

from crosstable.app.templating import Site, environment_of
from crosstable.languages.templates import Translated, in_language, messages
from crosstable.languages.texts import Catalogue, Language
from crosstable.web.templating import FOLDER


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<h1>Two words</h1>", ["Two words"]),
        ("<p>As of {{ view.act|day }} and {{ n }}.</p>", ["As of {act} and {n}."]),
        ("<a>First</a> <a>Second</a>", ["First", "Second"]),
        ('<p>See <a href="/{{ x }}">the rules</a> or <a>ask</a>.</p>', ["See <a>the rules</a> or <a2>ask</a2>."]),
        ("<p>{% if x %}Yes{% else %}No{% endif %}, really</p>", ["Yes", "No", ", really"]),
        ('<input placeholder="Name" value="Value" title="{% if x %}Why{% endif %}">', ["Name", "Why"]),
        ("<p>Type <code>crosstable serve</code>.</p>", ["Type <code/>."]),
        ("<script>let a = 1;</script><pre>some text</pre><p>FIDE 2026</p>", []),
        ("<p>{{ e['k'] }} of {{ e['n'] }}</p>", ["{k} of {n}"]),
    ],
)
def test_the_texts_of_a_template(source: str, found: list[str]) -> None:
    assert messages(source) == found


def test_a_template_that_is_not_translated_is_not_changed() -> None:
    for path in FOLDER.rglob("*.html"):
        source = path.read_text()
        assert Translated(lambda message: message).template(source) == source


def test_a_template_speaks_the_language() -> None:
    texts = {
        "Hello {name}, see <a>the rules</a>": "<a>Las reglas</a> para {name}",
        "Find": "Buscar",
        "Won": "Ganó",
    }
    source = (
        '<p>Hello {{ name }}, see <a href="/rules?q={{ word }}">the rules</a></p>'
        '<input aria-label="Find" value="{{ word }}">{{ word }} {{ word|plain }}'
    )
    environment = environment_of(DictLoader({"page": source}), Site(is_demo=False))
    in_language(environment, Language(Catalogue("es", texts, {})))
    assert environment.get_template("page").render(name="Won", word="Won") == (
        '<p><a href="/rules?q=Won">Las reglas</a> para Ganó</p>'
        '<input aria-label="Buscar" value="Won">Ganó <bdi>Won</bdi>'
    )
