"""One made-up document in every format: what each renderer does with each block, in full."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from outscore.formats import FORMATS
from outscore.reports import loaded
from tests.reports.kit import (
    Bars,
    Document,
    Fact,
    Facts,
    Figure,
    Flag,
    Heading,
    Kind,
    Mark,
    Notes,
    Paragraph,
    Picture,
    Scale,
    Signature,
    Span,
    Table,
    block_contents,
    documents_to_text,
    marked,
    name,
    plain,
    strong,
    verdict,
    write,
)

documents_to_markdown, documents_to_latex, documents_to_typst, documents_to_tables = (
    loaded(str(FORMATS[known].writer)) for known in ("markdown", "latex", "typst", "html")
)
LAW = Figure(
    "a law",
    (),
    Scale("gain"),
    Scale(""),
    (),
    bars=Bars((-1.0, 0.0, 1.0, 2.0), (0.1, 0.6, 0.3), ("worse", "better")),
    flags=(Flag(0.0, "0", "zero"),),
    span=Span(-0.5, 1.5, "95%"),
)
DOCUMENT = Document(
    "A title",
    (
        Signature("n:10|seed:1", "9.9"),
        Paragraph(f"{name('a_b')} wins by +1.5, p < 1e-12 at α = 0.05: {strong('really')}.", leading=True),
        Heading(name("x|y"), level=2),
        Facts(
            (
                Fact("verdict", f"{verdict('better')}. As expected."),
                Fact("warning", "few items.", Kind.WARNING, of=(name("a_b"),)),
                Fact("†", "not independent.", Kind.NOTE),
            )
        ),
        Table(
            ("system", "score", "p (Holm)"),
            (
                (name("a_b"), f"{strong('+1.5')}{marked(Mark.HANGING, '**')}", "3.20e-05"),
                (name("long-name-of-a-system"), f"-0.5{marked(Mark.LETTERS, 'ab1')}", "0.5000"),
            ),
            frozenset({1}),
            caption="All systems:",
            title=f"Systems. {marked(Mark.RAISED, '**')} p ≤ 0.01",
            parted=frozenset({0}),
        ),
        Picture(LAW, "the law"),
        Notes(("A note.",), ("A warning.",)),
    ),
)


def test_text() -> None:
    document = Document("", tuple(block for block in DOCUMENT.blocks if not isinstance(block, Heading)))
    expected = """\
        signature  n:10|seed:1

        a_b wins by +1.5, p < 1e-12 at α = 0.05: really.

        verdict  better. As expected.
        warning  a_b: few items.
        †        not independent.

        All systems:

        system                    score  p (Holm)
        ─────────────────────────────────────────
        a_b                      +1.5**  3.20e-05
        ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
        long-name-of-a-system  -0.5 ab1  0.5000

        the law
                  ████████
                  ████████
                  ████████
                  ████████▄▄▄▄▄▄▄▄
                  ████████████████
          ▁▁▁▁▁▁▁▁████████████████
          ████████████████████████
          ────────┬───────────────
                  0
              ├───────────────┤ 95%

        - A note.
        - Warning: A warning.
        """
    assert documents_to_text([document]) == dedent(expected)
    headed = documents_to_text([DOCUMENT]).split("\n\n")[2]
    assert headed == "x|y " + "─" * 76
    assert documents_to_text([DOCUMENT], ascii_only=True).isascii()
    assert "\x1b[1;32mbetter\x1b[0m" in documents_to_text([DOCUMENT], color=True)


def test_tables_give_way_before_numbers_do() -> None:
    headings, row = ("system", "spare", "p", "how"), (name("one-two-three-four"), "s" * 20, "0.5", "in so many words")
    table = Table(headings, (row,), frozenset({1}), fitted=(0,), spare=(1,), joined=(2, 3))
    rows = [documents_to_text([Document("", (table,))], width=width).splitlines() for width in (100, 72)]
    assert rows[0][2].split() == ["one-two-three-four", "s" * 20, "0.5", "in", "so", "many", "words"]
    wide = (name("x-" * 30), "s" * 20, "0.5", "in so many words")
    narrow = Table(headings, (wide,), frozenset({1}), fitted=(0,), spare=(1,))
    lines = documents_to_text([Document("", (narrow,))], width=72).splitlines()
    assert "spare" not in lines[0]
    assert max(map(len, lines)) <= 72
    assert "".join(line.split()[0] for line in lines[2:-1]) == "x-" * 30
    assert lines[-1] == "Columns not shown at this width: spare."


def test_what_is_the_same_in_all_rows_is_said_once_on_a_narrow_terminal() -> None:
    """Numbers keep their decimals, the folders of names are cut, and no column is left out for that."""
    headings = ("system", "baseline", "score", "interval", "verdict")
    rows = tuple((name(f"replay/{'x' * 30}{k}"), "71.20", f"{70 + k}.50", "1.25 to 2.50", "better") for k in range(3))
    table = Table(headings, rows, frozenset({1, 2, 3}), fitted=(0,), spare=(1, 2))
    lines = documents_to_text([Document("", (table,))], width=72).splitlines()
    assert lines[0] == "In all rows: baseline 71.20."
    assert lines[1].split() == ["system", "score", "interval", "verdict"]
    assert lines[3].split() == [f"replay/{'x' * 30}0", "70.50", "1.25", "to", "2.50", "better"]
    longer = replace(table, rows=tuple((*row[:3], "1.25 to 2.50, or something longer", "better") for row in rows))
    lines = documents_to_text([Document("", (longer,))], width=80).splitlines()
    assert lines[0] == "In all rows: baseline 71.20; interval 1.25 to 2.50, or something longer."
    different = replace(
        table, rows=tuple((*row[:3], f"{k}.25 to 12.50", f"much better {k}") for k, row in enumerate(rows))
    )
    lines = documents_to_text([Document("", (different,))], width=72).splitlines()
    assert "; system begins with replay/." in lines[0]
    assert lines[3].split()[0] == f"{'x' * 30}0"


def test_groups_say_once_what_is_the_same_in_their_rows() -> None:
    rows = tuple((f"metric {k // 2}", name(f"{'y' * 30}{k % 2}"), f"{k // 2}.25", f"{k} in words") for k in range(4))
    table = Table(("metric", "system", "baseline", "what"), rows, fitted=(1,), grouped=1)
    assert documents_to_text([Document("", (table,))], width=72).startswith("metric    system ")
    wide = replace(table, rows=tuple((*row[:3], f"{k} in {'w' * 30}") for k, row in enumerate(rows)))
    lines = documents_to_text([Document("", (wide,))], width=72).splitlines()
    assert [line for line in lines if line.startswith("metric ")] == [
        "metric 0; baseline 0.25",
        "metric 1; baseline 1.25",
    ]


def test_the_heading_of_groups_does_not_repeat_what_is_said_of_all_rows() -> None:
    rows = tuple(
        (f"metric {k // 2}", name(f"{'y' * 26}/{k % 2}"), f"{k // 2}.25", f"{k} in {'w' * 40}") for k in range(4)
    )
    table = Table(("metric", "system", "baseline", "what"), rows, fitted=(1,), grouped=1)
    lines = documents_to_text([Document("", (table,))], width=72).splitlines()
    assert lines[:2] == [f"In all rows: system begins with {'y' * 26}/.", "metric"]
    # The last group has the name of the heading.
    alike = replace(table, rows=tuple((("m", "metric")[k // 2], *row[1:]) for k, row in enumerate(rows)))
    lines = documents_to_text([Document("", (alike,))], width=72).splitlines()
    assert lines[1] == "metric"


def test_markdown() -> None:
    expected = r"""
        `n:10|seed:1`

        a\_b wins by +1.5, p < 1e-12 at α = 0.05: **really**.

        ## x\|y

        - Verdict: **better**. As expected.
        - a\_b: **Warning:** few items.
        - † not independent.

        All systems:

        | system | score | p (Holm) |
        | --- | ---: | --- |
        | a\_b | **+1.5**<sup>\*\*</sup> | 3.20e-05 |
        | long-name-of-a-system | -0.5<sup>ab1</sup> | 0.5000 |

        - A note.
        - **Warning:** A warning.
        """
    assert documents_to_markdown([DOCUMENT]) == dedent(expected).lstrip()


def test_latex() -> None:
    expected = r"""
        % Needs \usepackage{booktabs} in the preamble.
        % outscore 9.9: n:10|seed:1
        % a\_b wins by $+1.5$, $p$ $<$ $10^{-12}$ at $\alpha$ = 0.05: \textbf{really}.
        % x|y
        % Verdict: better. As expected.
        % a_b: Warning: few items.
        % † not independent.
        % A note.
        % Warning: A warning.
        \begin{table}
          \centering
          \caption{Systems. $^{**}$ $p$ $\leq$ 0.01}
          \begin{tabular}{lrl}
            \toprule
            System & Score & $p$ (Holm) \\
            \midrule
            a\_b & \textbf{\boldmath $+1.5$}\rlap{$^{**}$} & $3.20 \times 10^{-5}$ \\
            long-name-of-a-system & $-0.5$\rlap{\textsuperscript{ab$_{1}$}}\hphantom{\textsuperscript{bbb}} & 0.5000 \\
            \bottomrule
          \end{tabular}
        \end{table}
        """
    assert documents_to_latex([DOCUMENT]) == dedent(expected).lstrip()
    assert r"\begin{table}" not in documents_to_latex([DOCUMENT], bare=True)


def test_typst() -> None:
    expected = r"""
        // outscore 9.9: n:10|seed:1
        // a\_b wins by +1.5, $p$ \< $10^(-12)$ at α = 0.05: #strong[really].
        // x|y
        // Verdict: better. As expected.
        // a_b: Warning: few items.
        // † not independent.
        // A note.
        // Warning: A warning.
        #figure(
          table(
            columns: 3,
            align: (left, right, left),
            stroke: none,
            table.hline(),
            table.header([System], [Score], [$p$ (Holm)]),
            table.hline(stroke: 0.5pt),
            [a\_b], [#strong[+1.5]#box(width: 0pt, align(left)[\*\*])], [$3.20 times 10^(-5)$],
            [long-name-of-a-system], [−0.5#box(width: 0pt, align(left)[#super[ab1]])#hide[#super[bbb]]], [0.5000],
            table.hline(),
          ),
          caption: [Systems. \*\* $p$ ≤ 0.01],
        )
        """
    assert documents_to_typst([DOCUMENT]) == dedent(expected).lstrip()
    bare = documents_to_typst([DOCUMENT], bare=True)
    assert "#table(\n  columns: 3,\n" in bare
    assert "figure" not in bare


def test_tables_of_html() -> None:
    lines = documents_to_tables([DOCUMENT]).splitlines()
    assert lines[0] == "<!-- outscore 9.9: n:10|seed:1 -->"
    assert lines[8:] == [
        "<table>",
        "<caption>Systems. <sup>**</sup> p ≤ 0.01</caption>",
        '<thead><tr><th scope="col" style="text-align: left">System</th>'
        '<th scope="col" style="text-align: right">Score</th>'
        '<th scope="col" style="text-align: left">p (Holm)</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row" style="text-align: left">a_b</th>'
        '<td style="text-align: right"><strong>+1.5</strong><sup>**</sup></td>'
        '<td style="text-align: left">3.20e-05</td></tr>',
        '<tr><th scope="row" style="text-align: left">long-name-of-a-system</th>'
        '<td style="text-align: right">-0.5<sup>ab1</sup></td><td style="text-align: left">0.5000</td></tr>',
        "</tbody>",
        "</table>",
    ]
    ends = Document("", (Signature("a-->b", "9.9"),))
    assert documents_to_tables([ends]) == "<!-- outscore 9.9: a- ->b -->\n"


def test_html() -> None:
    page = write([block_contents(block) for block in DOCUMENT.blocks])
    for part in (
        '<p class="lead">a_b wins by +1.5, p &lt; 1e-12 at α = 0.05: <strong>really</strong>.</p>',
        "<h3>x|y</h3>",
        '<span class="verdict better"><span aria-hidden="true">▲</span> better</span>. As expected.',
        '<details class="callout" open><summary>1 warning</summary><p>a_b: few items.</p></details>',
        '<td class="number" data-label="score"><strong>+1.5</strong><sup>**</sup></td>',
        '<ul class="notes"><li>A note.</li></ul>',
        "<code>n:10|seed:1</code>",
    ):
        assert part in page


def test_what_a_user_wrote_marks_nothing() -> None:
    forged = f"a{marked(Mark.STRONG, 'b')}c"
    assert plain(name(forged)) == r"a\ue011b\ue01fc"
    assert DOCUMENT.lead == "a_b wins by +1.5, p < 1e-12 at α = 0.05: really."
