"""The page of ``crosstable lab report`` in a browser: sound, within its width, and without a request to anybody."""

from datetime import date
from pathlib import Path

from playwright.sync_api import Browser

from crosstable.history.archive import write
from crosstable.lab import Draws, report, rule_set
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulated, write_truth
from tests.browser.axe import complaints
from tests.browser.conftest import Watched, context_of, watch


def test_a_report_is_sound_in_light_and_dark_and_asks_nobody(browser: Browser, tmp_path: Path) -> None:
    made = simulated(Federation(members=100, sections=60, years=3, start=date(2014, 1, 1), seed=6, founders=0.5))
    write(made.archive, str(tmp_path / "fed"))
    write_truth(made.truth, str(tmp_path / "fed"))
    path = tmp_path / "report.html"
    against = rule_set(name="Slow", k_numerator=400)
    report(tmp_path / "fed", against=against, draws=Draws(replicates=20)).write(path)
    context = context_of(browser, locale="en-US")
    page = context.new_page()
    seen = watch(page, path.as_uri())
    page.goto(path.as_uri())
    for width, kind in ((360, "narrow"), (1280, "wide")):
        page.set_viewport_size({"width": width, "height": 900})
        shown = page.locator("svg.plot").evaluate_all(
            "all => all.filter(one => one.checkVisibility()).map(one => one.classList[1])"
        )
        assert shown == [kind] * page.locator("figure").count()
    assert len(shown) > 10
    # Of each kind a few: the others are drawn by the same lines.
    page.evaluate(
        "for (const kind of ['figure', 'details']) "
        "[...document.querySelectorAll(kind)].slice(3).forEach(one => one.remove())"
    )
    assert complaints(page) == []
    context.close()
    assert seen == Watched([], [])
