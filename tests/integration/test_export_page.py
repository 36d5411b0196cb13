"""The page of `mailstop export --format html` in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Browser
from tests.party import Party

HOSTILE = (
    "</pre></article></section><script>window.ran = 1</script><img src=x onerror='window.ran = 2'> \u202egnp.exe"
    "<svg onload='window.ran = 3'><a href='javascript:window.ran = 4'>x</a><style>*{display:none}</style>"
)


@pytest.fixture
def page(seat: object, own_home: Path) -> Path:
    assert callable(seat)
    builder, reviewer = seat("builder"), seat("reviewer")
    first = builder.send("reviewer", "please look at the parser")
    assert reviewer.run("reply", str(first), "the parser is fine").code == 0
    builder.send("reviewer", HOSTILE)
    builder.send("reviewer", "long " + "x" * 3000)
    person: Party = builder
    assert person.run("export", "--format", "html", "--output", "page.html").code == 0
    return own_home / "page.html"


def test_nothing_of_a_letter_runs_or_is_loaded_and_its_text_is_there(page: Path, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)

        assert browser.value("window.ran") is None
        assert browser.loaded == [page.as_uri()]
        assert browser.complaints == []
        assert browser.value("document.querySelectorAll('article').length") == 4
        assert browser.value("document.querySelectorAll('main script, main img, main svg, main style').length") == 0
        assert "window.ran = 1" in browser.value("document.querySelector('main').textContent")
        blocked = (
            "const s = document.createElement('script'); s.textContent = 'window.ran = 5'; document.body.append(s)"
        )
        browser.value(f"{{ {blocked} }}")
        assert browser.value("window.ran") is None, "the page's policy lets no other script run"


def test_words_are_found_and_a_link_shows_what_they_hid(page: Path, tmp_path: Path) -> None:
    shown = "[...document.querySelectorAll('article')].filter((one) => one.offsetParent).length"
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)
        find = "find.value = '{}'; search(); {}"

        assert browser.value(shown) == 4
        assert browser.value(find.format("PARSER fine", shown)) == 1
        assert browser.value("found.textContent") == "1 letter"
        assert browser.value(find.format("nowhere", shown)) == 0
        first = browser.value("document.querySelector('article').id")
        browser.value(f"new Promise((done) => {{ addEventListener('hashchange', done); location.hash = '{first}' }})")
        assert browser.value(shown) == 4
        assert browser.value("list.children.length") == 3


@pytest.mark.parametrize("width", [320, 1000])
def test_it_fits_a_phone_and_a_desk(width: int, page: Path, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile", width=width) as browser:
        browser.open(page)

        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("find.getBoundingClientRect().width") > 100


def test_it_is_dark_where_the_reader_wants_that_and_plain_on_paper(page: Path, tmp_path: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    colours = []
    for dark in (False, True):
        with Browser(tmp_path / f"profile-{dark}", dark=dark) as browser:
            browser.open(page)
            colours.append(browser.value(ground))
            browser.ask("Emulation.setEmulatedMedia", media="print", features=[])
            assert browser.value("getComputedStyle(document.querySelector('.find')).display") == "none"
            assert browser.value(ground) == "rgb(255, 255, 255)"
            assert browser.ask("Page.printToPDF")["data"]
    assert colours == ["rgb(255, 255, 255)", "rgb(22, 22, 26)"]
