"""The frame of an HTML report: one file that loads nothing and runs only its own script.

It also has the parts that several reports share: sections, boxes that scroll, and tables that a script sorts and
searches.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from outscore.reports.html.elements import Content, Element, script, shown, style, tag, with_prose, write
from outscore.reports.html.wording import without_options
from outscore.reports.names import pieces
from outscore.text.naming import Note
from outscore.text.numbers import format_counted

MOST_LINKS = 7  # in the bar; more are folded
MOST_UNFILTERED = 20  # rows of a table


@dataclass(frozen=True)
class Section:
    """A section of a chapter."""

    name: str  # the end of its id
    heading: str
    contents: Content
    place: Literal["below", "beside"] | None = None  # where windows are broad; by default it spans the window
    link: str = ""  # its name in the bar at the top; by default its heading
    class_: str | None = None


@dataclass(frozen=True)
class Chapter:
    """One result of a page."""

    heading: str  # its heading among several
    lead: Content
    sections: Sequence[Section]
    link: str = ""  # its name in the bar at the top; by default its heading
    end: Content = None  # what follows the sections


def report_page(
    title: str,
    chapters: Sequence[Chapter],
    *,
    prefix: str,
    footer: Content,
    scripts: Sequence[str],
    before: Content = None,
    after: Content = None,
    links: Sequence[tuple[str, str]] = (),
) -> str:
    """Return a report: a section for each of several chapters, or the sections of a single one.

    `prefix` begins all ids of a chapter, before its number. `before` and `after` stand before and after the chapters.
    `links` has ids and names of the sections before several chapters. For scripts see `page`.
    """
    several = len(chapters) > 1
    contents: list[Content] = [tag("h1", title), before]
    names = list(links) if several else []
    for k, chapter in enumerate(chapters):
        identifier = f"{prefix}{k}"
        parts = [
            section(
                f"{identifier}-{part.name}", part.heading, part.contents, level=3 if several else 2, class_=part.class_
            )
            for part in chapter.sections
        ]
        places = [part.place for part in chapter.sections]
        inner = (list(_in_columns(chapter.lead, zip(places, parts, strict=True))), chapter.end)
        if several:
            contents.append(section(identifier, chapter.heading, *inner))
            names.append((identifier, chapter.link or chapter.heading))
        else:
            contents.append(tag("article", *inner, id=identifier))
            names += [(f"{identifier}-{section.name}", section.link or section.heading) for section in chapter.sections]
    return page(title, [contents, after, tag("footer", footer)], sections=names, scripts=scripts)


def _in_columns(lead: Content, parts: Iterable[tuple[str | None, Element]]) -> Iterator[Content]:
    """Yield a lead and sections in their order, those that have a place in columns."""
    blocks: list[list[Content]] = [[lead]]
    for place, part in parts:
        if place is None:
            yield from (columns(*blocks), part)
            blocks = [[]]
        elif place == "beside":
            blocks.append([part])
        else:
            blocks[-1].append(part)
    yield columns(*blocks)


def columns(*blocks: Content) -> Content:
    """Return blocks side by side where the window has room for them, and else one below the other."""
    return tag("div", [tag("div", block) for block in blocks], class_="columns") if len(blocks) > 1 else blocks


def page(
    title: str,
    contents: Content,
    *,
    sections: Sequence[tuple[str, str]],
    scripts: Sequence[str],
) -> str:
    """Return a whole page, whose content security policy allows only this style sheet and these scripts.

    `contents` is the main part. Options of the command line in its text are said in words. `sections` has ids and
    names, for the links at the top. `scripts` has names of files in this folder, in the order in which they run.
    """
    sheet, code = packaged("report.css"), "\n".join(map(packaged, scripts))
    policy = (
        f"default-src 'none'; style-src {_hash(sheet)}; script-src {_hash(code)}; base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="outscore"),
        tag("title", title),
        style(sheet),
    )
    links = [tag("a", name, href=f"#{identifier}") for identifier, name in sections]
    navigation = tag("nav", links, aria_label="Sections") if len(links) > 1 else None
    if len(links) > MOST_LINKS:
        navigation = tag("details", tag("summary", f"Contents ({len(links)})"), navigation, class_="contents")
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag(
            "header",
            tag(
                "div",
                tag("span", "outscore", class_="brand"),
                navigation,
                tag("button", "Theme", type="button", id="theme", hidden=True),
                class_="bar-inner",
            ),
            class_="top",
        ),
        tag("main", with_prose(contents, without_options), id="report", tabindex=-1),
        script(code),
    )
    return "<!DOCTYPE html>\n" + write(tag("html", head, body, lang="en")) + "\n"


def section(identifier: str, heading: str, *contents: Content, level: int = 2, class_: str | None = None) -> Element:
    """Return a section with its heading."""
    name = f"{identifier}-heading"
    head = tag(f"h{level}", heading, id=name)
    return tag("section", head, *contents, id=identifier, aria_labelledby=name, class_=class_)


def boxed(title: str, *contents: Content, class_: str = "") -> Element:
    """Return contents in a box that scrolls sideways, also by keyboard, if they are too wide."""
    return tag("div", *contents, class_=f"scroll {class_}".rstrip(), tabindex=0, role="region", aria_label=title)


def warned(messages: Sequence[str]) -> Content:
    """Return notes on what was taken, and warnings: open, as they may question what is above them."""
    notes = [tag("p", shown(text), class_="note") for text in messages if isinstance(text, Note)]
    warnings = [tag("p", shown(text)) for text in messages if not isinstance(text, Note)]
    count = tag("summary", format_counted(len(warnings), "warning"))
    return [notes, tag("details", count, warnings, class_="callout", open=True) if warnings else None]


def name_of(name: str) -> Content:
    """Return a name that is broken only between its pieces."""
    parts = pieces(name)
    if len(parts) == 1:
        return parts[0]
    return [[tag("wbr") if k else None, tag("span", part, class_="piece")] for k, part in enumerate(parts)]


def text_of(text: str, name: str = "span", class_: str = "") -> Element:
    """Return text of users: of unknown language, with its own direction."""
    return tag(name, shown(text), lang="", dir="auto", class_=class_ or None)


def packaged(name: str) -> str:
    """Return the text of a file in this folder."""
    return files("outscore.reports.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
