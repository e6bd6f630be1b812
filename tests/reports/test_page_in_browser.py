"""The page as a browser shows it: nothing asked for, nothing complained about, nothing too wide, nothing too pale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import joint
import pytest
from browser import Browser
from test_html_format import contrast, hostile

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

pytestmark = pytest.mark.skipif(browser.PROGRAM is None, reason="no chromium on PATH")

# Every element with words of its own: its colour, the first background behind it that is not clear, its size.
TEXTS = """
[...document.querySelectorAll('body *')].filter(one => [...one.childNodes].some(
    node => node.nodeType === 3 && node.data.trim())).map(one => {
  const style = getComputedStyle(one), box = one.getBoundingClientRect();
  if (style.display === 'none' || ['title', 'desc'].includes(one.localName) || !box.width) return null;
  let behind = one;
  while (behind && /^(transparent|rgba.*, 0\\))$/.test(getComputedStyle(behind).backgroundColor))
    behind = behind.parentElement;
  return {words: one.textContent.trim().slice(0, 40), size: parseFloat(style.fontSize),
          color: one.localName === 'text' ? style.fill : style.color,
          behind: getComputedStyle(behind || document.documentElement).backgroundColor,
          left: box.left, right: box.right, scrolls: !!one.closest('.scroll')};
}).filter(Boolean)
"""
# Pairs of marks and names of one picture whose boxes share more than a hair.
OVERLAPPING = """
[...document.querySelectorAll('svg[role=img], svg.marks')].flatMap(picture => {
  const texts = [...picture.querySelectorAll('text')].filter(one => getComputedStyle(one).display !== 'none')
    .map(one => [one.textContent, one.getBoundingClientRect()]);
  return texts.flatMap(([words, box], place) => texts.slice(place + 1).filter(([, other]) =>
    Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
    Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 4).map(([others]) => words + ' / ' + others));
})
"""
# Tables that are wider than their box.
CUT = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1).length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser.started(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def file(tmp_path: Path, joint_report: Report) -> Path:
    return written(tmp_path, joint_report)


def written(folder: Path, report: Report) -> Path:
    path = folder / "page.html"
    path.write_text(formats.render("html", report), encoding="utf-8")
    return path


def complaints(page: Browser) -> list[object]:
    """Of the page itself; the browser asks for no icon of a file."""
    asked = [one["request"]["url"] for one in page.seen("Network.requestWillBeSent")]
    said = [*page.seen("Log.entryAdded"), *page.seen("Runtime.consoleAPICalled"), *page.seen("Runtime.exceptionThrown")]
    return [*asked[1:], *said]


def too_wide(page: Browser) -> bool:
    return bool(page.run("document.documentElement.scrollWidth > innerWidth"))


def hexadecimal(color: str) -> str:
    numbers = color.removeprefix("rgba").removeprefix("rgb").strip("()").split(",")
    return "#" + "".join(f"{round(float(one)):02x}" for one in numbers[:3])


def pale(page: Browser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.run(TEXTS)
    return [one for one in found if contrast(hexadecimal(one["color"]), hexadecimal(one["behind"])) < 4.5]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_is_as_wide_as_its_window_and_can_be_read(page: Browser, file: Path, width: int, dark: bool) -> None:
    page.open(file, width, dark=dark)
    assert page.run("innerWidth") == width and not too_wide(page)
    page.unfold()
    assert not too_wide(page) and complaints(page) == [] and pale(page) == []
    paper = "rgb(19, 22, 26)" if dark else "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.body).backgroundColor") == paper
    texts = page.run(TEXTS)
    assert len(texts) > 500 and min(one["size"] for one in texts) >= 11
    assert [one for one in texts if not one["scrolls"] and (one["left"] < 0 or one["right"] > width + 0.5)] == []
    assert page.run(CUT) == 0 or width < 1280
    assert page.run(OVERLAPPING) == []  # texts of a chart


@pytest.mark.parametrize("width", [1280, 390])
def test_other_pages_fit_too(
    page: Browser, tmp_path: Path, width: int, joint_report: Report, tuned_report: Report, tail_report: Report
) -> None:
    for report in (tuned_report, joint.huge(tail_report), hostile(joint_report)):
        page.open(written(tmp_path, report), width)
        page.unfold()
        assert not too_wide(page) and complaints(page) == []
        assert page.run("document.title").endswith(report.command)
        assert page.run("document.querySelectorAll('script, img, iframe, link, object').length") == 0


def test_paper_is_light_and_unfolded_and_cuts_no_table(page: Browser, file: Path) -> None:
    page.open(file, 700, dark=True, media="print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert pale(page) == [] and page.run(CUT) == 0
    shown = "[...document.querySelectorAll('details td')].filter(one => one.getBoundingClientRect().height).length"
    assert page.run(shown) == page.run("document.querySelectorAll('details td').length") > 100


def test_the_verdict_comes_first(page: Browser, file: Path) -> None:
    seen = "[...document.querySelectorAll('details td')].filter(one => one.checkVisibility()).length"
    for width, height in ((1280, 900), (390, 844)):
        page.open(file, width, height)
        assert page.run("document.querySelectorAll('.answer')[0].getBoundingClientRect().bottom") < height
        sizes = "[...document.querySelectorAll('body *')].map(one => parseFloat(getComputedStyle(one).fontSize))"
        title = page.run("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
        assert (page.run(f"Math.max(...{sizes})"), page.run(seen)) == (title, 0)


def test_and_these_measures_have_teeth(page: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        '<!DOCTYPE html><body style="background:#fff"><p style="color:#999;width:3000px">pale</p>'
        '<img src="missing.png"><svg role="img"><text y="20">one</text><text y="21">two</text></svg>'
        "<script>console.error('so')</script>",
        encoding="utf-8",
    )
    page.open(bad, 1280)
    assert too_wide(page)
    assert [one["words"] for one in pale(page)] == ["pale"]
    assert len(complaints(page)) >= 2
    assert page.run(OVERLAPPING) == ["one / two"]
