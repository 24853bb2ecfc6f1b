"""Elements of a page, escaped by construction: text becomes markup here and nowhere else."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Attribute: TypeAlias = str | float | bool | None

VOID = frozenset({"br", "hr", "input", "link", "meta", "wbr"})
KEPT = frozenset("\n\t\u200c\u200d")  # the joiners of Indic, Persian and emoji, besides white space
SPELT_OUT = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class _Verbatim:
    """Contents that a browser does not parse: a style sheet, a script, a block of data."""

    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """One element with its attributes and contents; text in either is escaped when it is written."""

    name: str
    attributes: tuple[tuple[str, Attribute], ...]
    contents: tuple[Content | _Verbatim, ...]


Content: TypeAlias = Element | str | Iterable["Content"] | None


def tag(name: str, /, *contents: Content, **attributes: Attribute) -> Element:
    """Return an element.

    Parameters
    ----------
    name : str
    *contents : Element, str, None, or iterable of these
        None is left out.
    **attributes : str, float, bool or None
        Names with a final ``_`` removed and other ones turned to hyphens (``class_``, ``aria_label``); True
        writes the name alone, None and False nothing.

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
    r"""Return a block of JSON that a script reads, and that nothing in it can end.

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
    r"""Return text of users with everything spelt out that is invisible, or would reorder what stands around it.

    Line breaks, tabs and joiners are kept. What comes back can be encoded as UTF-8.

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
