"""The catalogue holds every text that pages can say, each with a translation that keeps its places and tags."""

import re
from collections import Counter

from crosstable.languages.texts import FOLDER, PLACE, Entry, catalogue, catalogue_of, entries
from tools.make_languages import collected, merged, written

_TAG = re.compile(r"</?[a-z]+\d*/?>")
# So many texts may be the same in both languages: names, and words that Spanish has too.
SAME = 0.03
_WORD = re.compile(r"[A-Za-z]{3,}")


def _spanish() -> list[Entry]:
    with open(FOLDER / "es.po", encoding="utf-8") as file:
        return list(entries(iter(file)))


def test_the_catalogue_is_what_the_texts_of_today_make_of_it() -> None:
    """Otherwise: ``python -m tools.make_languages``, then translate what it lists."""
    assert (FOLDER / "es.po").read_bytes() == written(merged("es"))


def test_every_text_has_a_translation() -> None:
    known = {one.english if len(one.english) > 1 else one.english[0]: one.translated for one in _spanish()}
    assert known.keys() == collected().keys()
    assert not [english for english, translated in known.items() if not all(one.strip() for one in translated)]


def test_translations_keep_the_places_and_the_tags_of_their_texts() -> None:
    for one in _spanish():
        for english, translated in zip(one.english, one.translated, strict=True):
            assert set(PLACE.findall(english)) == set(PLACE.findall(translated)), english
            assert Counter(_TAG.findall(english)) == Counter(_TAG.findall(translated)), english
            assert english[:1] in ",;:." or translated[:1] not in ",;:.", english


def test_few_texts_are_the_same_in_both_languages() -> None:
    """A text that was copied and not translated: sentences never are, single words are the names of things."""
    same = [one.english[0] for one in _spanish() if one.english == one.translated]
    assert len(same) < SAME * len(_spanish())
    same.remove("Member ID,Name,State,Birth date")  # the titles of a file, which are English
    assert not [text for text in same if len(_WORD.findall(PLACE.sub("", text))) > 4]


def test_a_file_is_read_as_translators_write_it() -> None:
    lines = (
        '# words\nmsgid ""\nmsgstr ""\n"Language: es\\n"\n\n'
        '#: a.html\nmsgid "One \\"text\\""\nmsgstr ""\n"Un "\n"texto"\n\n'
        '#: b.py\nmsgid "{number} game"\nmsgid_plural "{number} games"\nmsgstr[0] "{number} partida"\n'
        'msgstr[1] "{number} partidas"\n\n#: c.js\nmsgid "New"\nmsgstr ""\n'
    )
    made = catalogue_of("es", entries(iter(lines.splitlines(keepends=True))))
    assert made.texts == {'One "text"': "Un texto"}
    assert made.counts == {"{number} game": "{number} partida", "{number} games": "{number} partidas"}
    assert made.of_templates == {'One "text"'}
    assert catalogue("es").texts["Newest events"] == "Torneos más recientes"
