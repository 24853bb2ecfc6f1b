"""What several tests use of the modules of reports and their words: a module moves with one edit here."""

from __future__ import annotations

from outscore.reports.charts import SUFFIXES, chart_bytes, figure_chart, figures_chart, save_chart
from outscore.reports.documents import (
    Document,
    Fact,
    Facts,
    Heading,
    Kind,
    Mark,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    marked,
    name,
    plain,
    strong,
    verdict,
)
from outscore.reports.figures import LOOKS, Bars, Figure, Flag, Form, Scale, Series, Span, looks_for
from outscore.reports.figures.rankings import MOST_IN_MATRIX, gain_figure, matrix_figure, readable_pairs, score_figure
from outscore.reports.html.blocks import SIGNS, block_contents
from outscore.reports.html.drawing import Axis, figure_drawing, spanning
from outscore.reports.html.elements import data_block, script, shown, tag, write
from outscore.reports.names import broken, cut, pieces
from outscore.reports.text import Chart, documents_to_text, draw_bars
from outscore.results.shown import Shown, items_known_to, native_frame
from outscore.words.comparisons import (
    claims,
    explain_independence,
    explain_verdict,
    null_hypothesis,
    sampling_sentence,
    summary,
)
