"""How Sphinx makes the site of these pages: python -m sphinx -W --keep-going -n -b html docs build/site."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from docutils.utils.math.unichar2tex import uni2tex_table
from rich.console import Console
from sphinx.util.docutils import SphinxDirective

from outscore import __version__ as release
from outscore.cli.app import command_app
from outscore.cli.helping import GroupedHelp

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.help import HelpEntry, HelpPanel
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
html_title = f"outscore {release}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
# Browsers let a page that was opened from disk read no other one.
html_show_search_summary = False

NAVIGATION: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "navigation.toml").read_text(encoding="utf-8")
)

# What docstrings mean as it stands, and reStructuredText would take for a substitution, for emphasis or for a URL.
_AS_MEANT = re.compile(r"(``.*?``)|([|*]|(?<=FILE):)")
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


def show_math(self: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers show without a program; one that is no LaTeX is an error."""
    formula = node.astext().translate(uni2tex_table)
    self.body.append(tex2mathml(formula, as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


class CollectedHelp(GroupedHelp):
    """What `--help` shows, kept instead of printed."""

    def __init__(self) -> None:
        self.usage = ""
        self.description = ""
        self.panels: list[HelpPanel] = []

    @cached_property
    def _formatter(self) -> Any:
        return self.keep

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Keep how the command is called."""
        self.usage = str(usage).strip().removeprefix("Usage: ")

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Keep what the command does."""
        self.description = plain(description)

    def keep(self, console: Any, options: Any, panel: HelpPanel) -> None:
        """Keep a panel."""
        self.panels.append(panel)


def plain(text: Any) -> str:
    """Return the words of a text of the help as reStructuredText."""
    text = getattr(text, "primary_renderable", text)
    return "" if text is None else _MARKUP.sub(r"\\\1", str(text))


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
    app, shown = command_app(), CollectedHelp()
    app.help_formatter = shown
    app.help_print(path, console=Console(file=StringIO()))
    for name in path:
        app = app[name]
    lines = [
        ".. code-block:: text",
        "",
        f"   {shown.usage}",
        "",
        shown.description,
        "",
        f".. program:: outscore {' '.join(path)}",
        "",
    ]
    for panel in shown.panels:
        if panel.format == "parameter":
            lines += [f".. rubric:: {plain(panel.title)}", ""]
            for entry in panel.entries:
                lines += [*entry_lines(entry), ""]
    lines += [".. code-block:: sh", "", *(f"   {line.strip().removeprefix('$ ')}" for line in epilogue_of(app)), ""]
    for name in app:
        if not name.startswith("-"):
            title = f"outscore {' '.join([*path, name])}"
            lines += [title, "-" * len(title), "", *command_lines([*path, name])]
    return lines


def epilogue_of(app: App) -> list[str]:
    """Return the examples with which the help of a command ends."""
    return str(app.help_epilogue or "").splitlines()[1:]


def entry_lines(entry: HelpEntry) -> list[str]:
    """Return an option, or an argument, with what is said of it."""
    said = [plain(entry.description)]
    if entry.choices:
        said.append(f"One of {', '.join(f'``{choice}``' for choice in entry.choices)}.")
    if entry.default not in (None, "False"):
        said.append(f"Default: ``{entry.default}``.")
    if entry.required:
        said.append("Required.")
    value = f" {entry.metavar}" if entry.metavar and entry.metavar != "CHOICE" else ""
    if entry.positional_label is None:
        called = ", ".join(f"{name}{value}" for name in entry.all_options)
        return [f".. option:: {called}", "", f"   {' '.join(said)}"]
    return [f"``{entry.positional_label}``", f"   {' '.join(said)}"]


def setup(app: Sphinx) -> None:
    """Have formulas written, commands documented and docstrings taken as they are meant."""
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
    app.add_directive("command", Command)
    app.connect("source-read", list_pages)
    app.connect("doctree-read", mark_sentences)
    app.connect("autodoc-process-docstring", keep_signs, priority=400)
