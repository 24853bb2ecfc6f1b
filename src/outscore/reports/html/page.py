"""The frame of a report: one file that asks for nothing else, and in which only our own script can run.

With it what stands on several pages: sections, boxes that scroll, tables that a script sorts and searches.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files

from outscore.reports.html.elements import Content, Element, script, shown, style, tag, write
from outscore.reports.names import pieces


def page(
    title: str,
    contents: Content,
    *,
    sections: Sequence[tuple[str, str]],
    scripts: Sequence[str],
    wide: bool = False,
) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
    contents : Content
        What stands in its main part.
    sections : sequence of (str, str)
        Ids and names, for the list of contents.
    scripts : sequence of str
        Names of files beside this one, in the order in which they are run.
    wide : bool
        Whether broad windows are made use of, as tables and drawings of many systems need; prose stays narrow.

    Returns
    -------
    str
        HTML, in UTF-8 to be. A content security policy lets only this style sheet and these scripts run, and
        nothing be loaded.
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
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag(
            "header",
            tag(
                "div",
                tag("span", "outscore", class_="brand"),
                tag("nav", links, aria_label="Sections") if len(links) > 1 else None,
                tag("button", "Theme", type="button", id="theme", hidden=True),
                class_="bar-inner",
            ),
            class_="top",
        ),
        tag("main", contents, id="report", tabindex=-1),
        script(code),
        class_="wide" if wide else None,
    )
    return "<!DOCTYPE html>\n" + write(tag("html", head, body, lang="en")) + "\n"


def section(identifier: str, heading: str, *contents: Content, level: int = 2, class_: str | None = None) -> Element:
    """Return a section with its heading."""
    name = f"{identifier}-heading"
    head = tag(f"h{level}", heading, id=name)
    return tag("section", head, *contents, id=identifier, aria_labelledby=name, class_=class_)


def boxed(said: str, *contents: Content, class_: str = "") -> Element:
    """Return contents in a box of their own that scrolls sideways, by keyboard too, where they are too wide."""
    return tag("div", *contents, class_=f"scroll {class_}".rstrip(), tabindex=0, role="region", aria_label=said)


def callout(text: str) -> Element:
    """Return a warning."""
    return tag("p", tag("strong", "Warning. "), shown(text), class_="callout")


def name_of(name: str) -> Content:
    """Return a name that is broken only where its pieces end."""
    parts = pieces(name)
    if len(parts) == 1:
        return parts[0]
    # What is longer than any line could be broken anywhere after all.
    return [[tag("wbr") if k else None, tag("span", part, class_="piece")] for k, part in enumerate(parts)]


def text_of(text: str, name: str = "span", class_: str = "") -> Element:
    """Return text of users: in a language that nobody told us, and isolated from the direction of what is around it."""
    return tag(name, shown(text), lang="", dir="auto", class_=class_ or None)


def packaged(name: str) -> str:
    """Return what a file beside this one holds."""
    return files("outscore.reports.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def explorer(
    said: str,
    columns: Iterable[tuple[str, str]],
    *,
    source: str,
    size: int,
    tools: Content,
    class_: str = "",
    table_class: str | None = None,
) -> Element:
    """Return the frame of a table, which is hidden until a script fills it.

    Parameters
    ----------
    said : str
        What the table is called by a screen reader.
    columns : iterable of (str, str)
        Their headings, and "text" or "number".
    source : str
        The id of its `data_block`.
    size : int
        Rows on a page.
    tools : Content
        What stands above it, such as `search`.
    class_ : str
        What a script knows it by, where it needs more than an explorer does.
    table_class : str, optional
    """
    head = [
        tag("th", tag("button", title, type="button"), scope="col", class_=kind, aria_sort="none")
        for title, kind in columns
    ]
    return tag(
        "div",
        tag("div", tools, class_="tools"),
        tag("p", role="status", class_="count"),
        boxed(said, tag("table", tag("thead", tag("tr", head)), class_=table_class)),
        tag("div", class_="pager"),
        class_=f"explorer {class_}".rstrip(),
        hidden=True,
        data_source=source,
        data_size=size,
    )


def search(identifier: str, placeholder: str) -> Element:
    """Return a field for words that rows must hold."""
    field = tag("input", type="search", id=identifier, placeholder=placeholder)
    return tag("label", "Search ", field)
