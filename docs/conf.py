"""How Sphinx makes the site of these pages: python -m sphinx -W --keep-going -n -b html docs build/site."""

from __future__ import annotations

import json
import re
import tomllib
from inspect import formatannotation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_origin

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from docutils.utils.math.unichar2tex import uni2tex_table
from pygments.lexers.shell import BashSessionLexer
from sphinx.util.docutils import SphinxDirective

from outscore import __version__ as release
from outscore.cli.app import help_of
from outscore.cli.helping import EXAMPLES
from outscore.results import record

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

smartquotes = False  # -- begins an option
project = "outscore"
project_copyright = "The outscore authors"
version = release
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
nitpicky = True
# In docstrings `name` links where there is such a name, and is code anywhere else.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", ".*")]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["../src/outscore/skills/outscore/llms.txt"]
html_title = f"outscore {release}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False

NAVIGATION: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "navigation.toml").read_text(encoding="utf-8")
)
SEARCH = tomllib.loads((Path(__file__).parent / "search.toml").read_text(encoding="utf-8"))

# What docstrings mean as it stands, and reStructuredText would take for a substitution, for emphasis or for a URL.
_AS_MEANT = re.compile(r"(``.*?``)|([|*]|(?<=FILE):)")
# What the types of fields of results are in Python: "Share" is a float.
_TYPES = {name: formatannotation(of.__origin__) for name, of in vars(record).items() if get_origin(of) is Annotated}
_FIELD = re.compile(r"\w+ : ")
_COLUMNS = re.compile(r"\S {2,}\S|─")
_MARKUP = re.compile(r"([\\*`|_@:])")


def list_pages(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page, which is plain Markdown, the lists of those under it."""
    for caption, pages in NAVIGATION.get(page, {}).items():
        named = [f":caption: {caption}"] if caption else []
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", *named, "", *(f"/{each}" for each in pages), "```\n"])


def mark_sentences(app: Sphinx, page: nodes.document) -> None:
    """Mark examples whose output has no columns: lines of it may be broken on the narrowest screen."""
    for block in page.findall(nodes.literal_block):
        if block.get("language") == "console" and not _COLUMNS.search(block.astext()):
            block["classes"].append("sentences")


def keep_signs(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Escape such signs of docstrings, except in examples and in code."""
    lines[:] = [
        line
        if line.lstrip().startswith((">>>", "..", ":"))
        else _AS_MEANT.sub(lambda match: match[1] or f"\\{match[2]}", line)
        for line in lines
    ]


def name_types(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Write the Python types of fields."""
    lines[:] = [
        re.sub(r"\w+", lambda word: _TYPES.get(word[0], word[0]), line) if _FIELD.match(line) else line
        for line in lines
    ]


def add_search(app: Sphinx, page: str, template: str, context: dict[str, object], document: object) -> None:
    """Give search.js the text of all pages: a browser does not let a page opened from disk read the others."""
    if page != "search":
        return
    names = sorted(app.env.found_docs)
    pages = [
        {"name": name, "weight": weight_of(name), "sections": sections_of(name, app.env.get_doctree(name))}
        for name in names
    ]
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    app.add_js_file(None, body=f"const PAGES = {text}")
    app.add_js_file("search.js", loading_method="defer")


def weight_of(page: str) -> float:
    """Return how much a page counts in the search: by its name, its caption or the page above it."""
    weights: dict[str, float] = SEARCH["weights"]
    if page in weights:
        return weights[page]
    for above, captions in NAVIGATION.items():
        for caption, pages in captions.items():
            if page in pages:
                return weights[caption] if caption in weights else weight_of(above)
    return 1.0


def sections_of(page: str, document: nodes.document) -> list[dict[str, object]]:
    """Return the heading, the paragraphs and the code of each section, and its synonyms. The first is the page."""
    sections: list[dict[str, object]] = []
    for section in document.findall(nodes.section):
        parts = [part for part in section.children if not isinstance(part, nodes.section)]
        texts = [" ".join(text.astext().split()) for part in parts for text in part.findall(nodes.paragraph)]
        code = [block.astext() for part in parts for block in part.findall(nodes.literal_block)]
        anchor = f"#{section['ids'][0]}" if sections else ""
        title = section.next_node(nodes.title)
        heading = title.astext() if title else page
        synonyms = SEARCH["synonyms"].get(f"{page} > {heading}" if sections else page, [])
        sections.append(
            {"anchor": anchor, "heading": heading, "texts": texts, "code": " ".join(code), "synonyms": synonyms}
        )
    return sections


def show_math(self: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers show without a program; one that is no LaTeX is an error."""
    formula = node.astext().translate(uni2tex_table)
    self.body.append(tex2mathml(formula, as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


def plain(text: str) -> str:
    """Return the words of a text of the help as reStructuredText."""
    return _MARKUP.sub(r"\\\1", text)


class Command(SphinxDirective):
    """All that the help of a command says, and that of its own commands."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the page."""
        return self.parse_text_to_nodes(
            "\n".join(command_lines(self.arguments[0].split())), allow_section_headings=True
        )


def command_lines(path: list[str]) -> list[str]:
    """Return the help of a command as reStructuredText."""
    shown = help_of(path)
    lines = [
        ".. code-block:: text",
        "",
        f"   {shown.usage}",
        "",
        plain(shown.summary),
        "",
        plain(shown.description),
        "",
    ]
    lines += [".. code-block:: sh", "", *(f"   {line}" for _, line in EXAMPLES[shown.command]), ""]
    lines += [f".. program:: outscore {shown.command}", ""]
    title = None
    for group, called, said in shown.options:
        if group != title:
            lines += [f".. rubric:: {plain(group or 'Arguments')}", ""]
            title = group
        lines += [f".. option:: {called}" if called.startswith("-") else f"``{called}``"]
        lines += [*([""] if called.startswith("-") else []), f"   {plain(said)}", ""]
    for _, name, _ in shown.commands:
        title = f"outscore {' '.join([*path, name])}"
        lines += [title, "-" * len(title), "", *command_lines([*path, name])]
    return lines


class Session(BashSessionLexer):  # type: ignore[misc]
    """Commands after "$ " and their output, in which brackets and % are no prompt."""

    _ps1rgx = re.compile(r"(\$ )(.*\n?)")
    _venv = re.compile("(?!)")  # never


def setup(app: Sphinx) -> None:
    """Have formulas written, commands documented and docstrings taken as they are meant."""
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
    app.add_directive("command", Command)
    app.add_lexer("console", Session)
    app.connect("source-read", list_pages)
    app.connect("doctree-read", mark_sentences)
    app.connect("html-page-context", add_search)
    app.connect("autodoc-process-docstring", name_types, priority=300)
    app.connect("autodoc-process-docstring", keep_signs, priority=400)
