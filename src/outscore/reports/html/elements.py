"""Elements of a page; only here text becomes markup, and it is always escaped."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Attribute: TypeAlias = str | float | bool | None

PROSE = frozenset({"figcaption", "li", "p", "summary"})
NO_PROSE = frozenset({"code", "script", "style", "svg", "table"})
VOID = frozenset({"br", "hr", "input", "link", "meta", "wbr"})
KEPT = frozenset("\n\t\u200c\u200d")  # the joiners of Indic, Persian and emoji, besides white space
SPELT_OUT = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class _Verbatim:
    """Contents that a browser does not parse: a style sheet, a script or a block of data."""

    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and contents, which are escaped when they are written."""

    name: str
    attributes: tuple[tuple[str, Attribute], ...]
    contents: tuple[Content | _Verbatim, ...]


Content: TypeAlias = Element | str | Iterable["Content"] | None


def tag(name: str, /, *contents: Content, **attributes: Attribute) -> Element:
    """Return an element.

    Parameters
    ----------
    *contents : Element, str, None, or iterable of these
        None is left out.
    **attributes : str, float, bool or None
        A final ``_`` of a name is removed, and others become hyphens (``class_``, ``aria_label``). True writes only
        the name; None and False write nothing.

    Examples
    --------
    >>> print(write(tag("p", "a < b", tag("b", 'say "x"'), class_="note", hidden=True, title='"')))
    <p class="note" hidden title="&quot;">a &lt; b<b>say &quot;x&quot;</b></p>
    """
    named = ((key.removesuffix("_").replace("_", "-"), value) for key, value in attributes.items())
    return Element(name, tuple(named), contents)


def script(code: str) -> Element:
    """Return a script of our own."""
    return _verbatim("script", code)


def style(sheet: str) -> Element:
    """Return a style sheet of our own."""
    return _verbatim("style", sheet)


def _verbatim(name: str, text: str, **attributes: str) -> Element:
    if f"</{name}" in text or "<!--" in text:
        raise ValueError(f"a {name} must not hold what ends it")
    return Element(name, tuple(attributes.items()), (_Verbatim(text),))


def data_block(identifier: str, data: Any) -> Element:
    r"""Return a block of JSON for a script; no text in it can end the block.

    Examples
    --------
    >>> print(write(data_block("items", ["</script><!--", "\u2028é"])))
    <script type="application/json" id="items">["\u003c/script>\u003c!--","\u2028é"]</script>
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return _verbatim("script", text, type="application/json", id=identifier)


def shown(text: str) -> str:
    r"""Return text of users with invisible and direction-changing characters spelt out.

    Line breaks, tabs and joiners are kept. The result can be encoded as UTF-8.

    Examples
    --------
    >>> print(shown("a\u202eb\x00c\ud800 é🙂"))
    a\u202eb\x00c\ud800 é🙂
    """
    if text.isprintable():
        return text
    return "".join(
        ascii(c)[1:-1] if c not in KEPT and unicodedata.category(c) in SPELT_OUT else c
        for c in text.replace("\r\n", "\n")
    )


def with_prose(content: Content | _Verbatim, change: Callable[[str], str], *, prose: bool = False) -> Any:
    """Return contents with the text of paragraphs, lists and captions changed; tables and text of users stay."""
    if isinstance(content, str):
        return change(content) if prose else content
    if content is None or isinstance(content, _Verbatim):
        return content
    if isinstance(content, Element):
        if content.name in NO_PROSE or ("lang", "") in content.attributes:
            return content
        prose = prose or content.name in PROSE
        return replace(content, contents=tuple(with_prose(part, change, prose=prose) for part in content.contents))
    return [with_prose(part, change, prose=prose) for part in content]


def write(content: Content) -> str:
    """Return contents as HTML."""
    return "".join(_written(content))


def _written(content: Content | _Verbatim) -> Iterator[str]:
    if content is None:
        return
    if isinstance(content, str):
        yield html.escape(content)
    elif isinstance(content, _Verbatim):
        yield content.text
    elif isinstance(content, Element):
        yield f"<{content.name}{''.join(map(_attribute, content.attributes))}>"
        for part in content.contents:
            yield from _written(part)
        if content.name not in VOID:
            yield f"</{content.name}>"
    else:
        for part in content:
            yield from _written(part)


def _attribute(attribute: tuple[str, Attribute]) -> str:
    name, value = attribute
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    # Coordinates of drawings: a hundredth of a pixel is enough.
    text = f"{round(value, 2):.10g}" if isinstance(value, float) else str(value)
    return f' {name}="{html.escape(text)}"'
