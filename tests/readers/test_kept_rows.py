"""Kept rows: what is written comes back to the last bit, and goes with nothing else."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.kit import OUTPUT_METRICS, Settings, compare_scores, output_metric, output_metrics
from tests.metrics.kit import spec_of
from tests.readers.kit import (
    KeptRows,
    Packed,
    digest_of,
    from_npz,
    implementation_of,
    is_kept,
    packed_rows,
    read_kept_rows,
    read_outputs,
    refuse_mixture,
    rows_to_keep,
    to_npz,
    unpacked,
)
from tests.scored import scored

from outscore import RecomputedMetric, Rows
from outscore._version import __version__
from outscore.errors import DataError, OptionError, OutscoreError
from outscore.significance import Resampling

ExactMatch, LabelAccuracy, MacroF1, Mcc = output_metrics("exact-match accuracy macro-f1 mcc")

TREE = "1\tA\t_\tX\t_\t_\t{}\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t{}\tnsubj\t_\t_\n3\tran\t_\tV\t_\t_\t{}\troot\t_\t_\n\n"
RIGHT, WRONG = TREE.format(2, 3, 0), TREE.format(3, 3, 0)
TEXTS = ("a b c d e\nf g h i j\nk l m n o\n", "a b c d x\nf g h i x\nk l\n", "a b c d e\nf g h i\nk l m n\n")
LABELS = ("x\ny\nx\nz\n", "x\nx\ny\nz\n", "x\ny\ny\nw\n")
RUN = "q1 Q0 d{} 1 2.0 a\nq2 Q0 d{} 1 2.0 a\nq3 Q0 d{} 1 1.0 a\n"
ANSWERS = ("The cat\nblue\nno\n", "a dog\nBlue.\nyes no\n", "cat\nblue\nyes\n")

# By the type of a metric's references: suffix, references, baseline, candidate.
DATA: Mapping[str, tuple[str, str, str, str]] = {
    "str": ("txt", *TEXTS),
    "Utterance": ("txt", *TEXTS),
    "GoldLabel": ("txt", *LABELS),
    "GoldAnswers": ("txt", *ANSWERS),
    "float": ("txt", "1\n2\n4\n3.5\n", "1\n3\n0.1\n3\n", "1\n2.5\n4\n2\n"),
    "DependencyTree": ("conllu", RIGHT * 3, RIGHT + WRONG * 2, RIGHT * 2 + WRONG),
    "BracketedTree": (
        "mrg",
        "(S (NP (D a) (N b)) (V c))\n(S (V d))\n(S (NP (N e)) (V f))\n",
        "(S (D a) (N b) (V c))\n(S (V d))\n(S (NP (N e)) (V f))\n",
        "(S (NP (D a) (N b)) (V c))\n(S (NP (V d)))\n(S (NP (N e)) (V f))\n",
    ),
    "TaggedSentence": (
        "bio",
        "A\tB-X\n\nB\tB-X\n\nC\tB-Y\n",
        "A\tB-X\n\nB\tO\n\nC\tB-X\n",
        "A\tB-X\n\nB\tB-X\n\nC\tO\n",
    ),
    "GoldAlignment": ("txt", "0-0 1-1\n0-0 1p1\n0-1\n", "0-0\n0-1\n0-1\n", "0-0 1-1\n0-0\n1-1\n"),
    "Judgements": ("txt", "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 2\n", RUN.format(9, 2, 3), RUN.format(1, 2, 9)),
}

Files = Callable[[Any], tuple[str, str, str]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Write references, baseline and candidate for a metric."""

    def write(metric: Any) -> tuple[str, str, str]:
        suffix, *texts = DATA[metric.reference_type.__name__]
        paths = [tmp_path / f"{name}.{suffix}" for name in ("r", "a", "b")]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        reference, baseline, candidate = map(str, paths)
        return reference, baseline, candidate

    return write


def keep(path: Path, kept: KeptRows) -> str:
    path.write_bytes(packed_rows(kept))
    return str(path)


def figures(metric: Any, systems: Sequence[Rows]) -> list[object]:
    settings = Settings(resampling=Resampling(n_resamples=100))
    [comparison] = compare_scores(scored(metric, systems), settings)[0].comparisons
    return [
        comparison.baseline_score,
        comparison.candidate_score,
        comparison.interval.low,
        comparison.interval.high,
        [test.p_value for test in comparison.tests],
    ]


@pytest.mark.parametrize("spec", [*OUTPUT_METRICS, "bleu:tokenize=char,lowercase=true", "ndcg@2", "micro-f1:labels=x"])
def test_rows_come_back_to_the_last_bit(spec: str, files: Files, tmp_path: Path) -> None:
    metric = output_metric(spec)
    reference, *systems = files(metric)
    kept = rows_to_keep(systems, [reference], metric)
    paths = [keep(tmp_path / f"{i}.npz", one) for i, one in enumerate(kept)]
    for path, one in zip(paths, kept, strict=True):
        assert is_kept(path)
        back = read_kept_rows(path)
        assert (back.metric, back.named, back.signature) == (one.metric, metric, one.signature)
        assert (back.references, back.implementation) == (one.references, one.implementation)
        assert back.rows.values.tobytes() == one.rows.values.tobytes()
        assert back.rows.item_ids == one.rows.item_ids
        assert list(back.rows.lines or ()) == list(one.rows.lines or ())
        assert (back.rows.name, back.rows.source) == (path, one.rows.name)
        assert packed_rows(one) == Path(path).read_bytes()
    from_outputs = figures(*read_outputs(systems, [reference], metric))
    assert figures(*read_outputs(paths)) == from_outputs
    assert figures(*read_outputs(paths, [reference], metric)) == from_outputs
    assert figures(*read_outputs([paths[0], systems[1]], [reference])) == from_outputs


def test_signatures_say_what_rows_depend_on(files: Files) -> None:
    for spec, expected in (
        ("bleu:tokenize=char", "bleu:tokenize=char|sacrebleu:|outscore:"),
        ("macro-f1", "macro-f1|labels:|outscore:"),
        ("macro-f1:labels=x,labels=y", "macro-f1:labels=x,labels=y|outscore:"),
        ("aer", "aer|outscore:"),
    ):
        metric = output_metric(spec)
        reference, *systems = files(metric)
        one, other = rows_to_keep(systems, [reference], metric)
        assert one.signature == other.signature
        assert re.sub(r"(?<=:)[\w.]+(?=\||$)", "", one.signature.partition("|")[2]) == expected.partition("|")[2]
        assert one.signature.partition("|")[0] == expected.partition("|")[0]
        assert one.signature.endswith(__version__)


def test_rows_of_another_version_of_outscore_are_refused(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, baseline, candidate = files(output_metric("las"))
    monkeypatch.setattr("outscore.readers.kept.rows.__version__", "0.0.9")
    before = [
        keep(tmp_path / f"{i}.npz", *rows_to_keep([path], [reference], output_metric("las")))
        for i, path in enumerate((baseline, candidate))
    ]
    monkeypatch.undo()
    read_outputs(before)  # which are of one version
    after = keep(tmp_path / "after.npz", *rows_to_keep([candidate], [reference], output_metric("las")))
    for other in (after, candidate):
        with pytest.raises(OptionError, match=r"outscore 0\.0\.9.*other-version"):
            read_outputs([before[0], other], [reference])


def test_the_package_that_registers_a_metric_is_part_of_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = SimpleNamespace(name="their-metrics", version="2.1")
    plugin = SimpleNamespace(name="unregistered", entry_point=SimpleNamespace(dist=owner))
    monkeypatch.setattr("outscore.readers.kept.rows.plugins", lambda: iter([plugin]))
    assert implementation_of(Unregistered()).packages == {"their-metrics": "2.1", "outscore": __version__}
    assert implementation_of(ExactMatch()).packages == {"outscore": __version__}


def test_correlations_that_were_kept_apart_are_compared(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(100.0, 2.0, 40)
    numbers = {"r": truth, "a": truth + rng.normal(0, 1, 40), "b": 30 * truth - 1000 + rng.normal(0, 70, 40)}
    for name, values in numbers.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{value!r}\n" for value in values.tolist()))
    reference, baseline, candidate = (str(tmp_path / f"{name}.txt") for name in "rab")
    apart = [
        keep(tmp_path / f"{i}.npz", *rows_to_keep([path], [reference], output_metric("pearson")))
        for i, path in enumerate((baseline, candidate))
    ]
    assert read_kept_rows(apart[0]).metric != read_kept_rows(apart[1]).metric
    expected = figures(*read_outputs([baseline, candidate], [reference], output_metric("pearson")))
    for systems in (apart, [apart[0], candidate], [baseline, apart[1]]):
        *found, p_values = figures(*read_outputs(systems, [reference]))
        assert found == [pytest.approx(value, rel=2e-8) for value in expected[:-1]]
        assert p_values == pytest.approx(expected[-1], rel=0.05)  # what is drawn depends on the order of items
    (tmp_path / "far.txt").write_text("".join(f"{value!r}\n" for value in (truth + 1e6).tolist()))
    far = keep(tmp_path / "far.npz", *rows_to_keep([str(tmp_path / "far.txt")], [reference], output_metric("pearson")))
    with pytest.raises(DataError, match=r"far\.npz: .*large-offset"):
        read_outputs([apart[0], far])


def test_ids_and_extreme_numbers_come_back(tmp_path: Path) -> None:
    metric = output_metric("mae")
    values = np.array([[-0.0, 1e-300], [2.0**53 + 2, 1.0], [0.1, 7.0]])
    ids = ("é\n", "", "\ud800")
    rows = Rows("a", values, ids, [1, 2, 2**40])
    kept = replace(rows_to_keep_of(metric), rows=rows)
    back = read_kept_rows(keep(tmp_path / "a.npz", kept)).rows
    assert back.values.tobytes() == values.tobytes()
    assert back.item_ids == ids
    assert list(back.lines or ()) == [1, 2, 2**40]


def rows_to_keep_of(metric: Any, labels: Sequence[str] = ()) -> KeptRows:
    """Return rows that nobody scored."""
    fitted = replace(metric, labels=tuple(labels)) if labels else metric
    values = np.arange(3.0 * len(fitted.statistics)).reshape(3, -1)
    return KeptRows(metric, fitted, implementation_of(fitted), digest_of([["a", "b", "c"]], None), Rows("a", values))


@given(st.lists(st.sampled_from([0.0, 1.0, 255.0, 256.0, -1.0, -129.0, 2.0**31, -(2.0**53), 0.5, 1e300]), min_size=2))
def test_numbers_of_any_width_come_back(numbers: list[float]) -> None:
    values = np.array(numbers)[:, None]
    back = from_npz(to_npz(Packed({"statistics": ["x"]}, values, None, None)), "a")
    assert back.values.tobytes() == values.tobytes()


def test_references_are_known_whatever_file_they_stand_in(files: Files, tmp_path: Path) -> None:
    metric = LabelAccuracy()
    reference, baseline, candidate = files(metric)
    labels = Path(reference).read_text().split()
    zipped, as_json = tmp_path / "r.txt.gz", tmp_path / "r.jsonl"
    zipped.write_bytes(gzip.compress(Path(reference).read_bytes()))
    as_json.write_text("".join(f'{{"id": "{i}", "label": "{label}"}}\n' for i, label in enumerate(labels)))
    kept = [keep(tmp_path / "a.npz", *rows_to_keep([baseline], [reference], metric))]
    for other in (zipped, as_json):
        read_outputs([*kept, candidate], [str(other)], metric)
    # The ids of both files say which item is which, where their order differs.
    lines = as_json.read_text().splitlines(keepends=True)
    shuffled = tmp_path / "shuffled.jsonl"
    shuffled.write_text("".join(reversed(lines)))
    by_id = [keep(tmp_path / "b.npz", *rows_to_keep([candidate], [str(as_json)], metric))]
    read_outputs([*by_id, candidate], [str(shuffled)], metric)
    with pytest.raises(OptionError, match="other-references"):
        read_outputs([*kept, candidate], [str(shuffled)], metric)


@pytest.mark.parametrize("type_name", DATA)
def test_the_digest_changes_with_any_item(type_name: str, files: Files) -> None:
    metric = next(kind() for kind in OUTPUT_METRICS.values() if kind.reference_type.__name__ == type_name)
    from tests.kit import read_corpus

    items = list(read_corpus(files(metric)[0], metric.reference_type).items)
    whole = digest_of([items], None)
    assert whole == digest_of([list(items)], None)
    others = [items[::-1], items[:-1], [*items, items[0]]]
    assert len({whole.in_order, *(digest_of([other], None).in_order for other in others if other != items)}) == 1 + sum(
        other != items for other in others
    )
    assert digest_of([items, items], None) != digest_of([items * 2], None)


BASE = rows_to_keep_of(output_metric("bleu"))
LABELLED = rows_to_keep_of(Mcc(), ["x", "y"])


@pytest.mark.parametrize(
    ("one", "other", "slug", "says"),
    [
        (BASE, rows_to_keep_of(output_metric("bleu", tokenize="zh")), "other-metric", ["bleu:tokenize=zh"]),
        (BASE, rows_to_keep_of(output_metric("mae")), "other-metric", ["bleu", "mae"]),
        (BASE, replace(BASE, references=digest_of([["a", "b", "d"]], None)), "other-references", ["references"]),
        (
            replace(BASE, rows=replace(BASE.rows, item_ids=("1", "2", "3"))),
            replace(BASE, rows=replace(BASE.rows, item_ids=("1", "2", "4"))),
            "other-items",
            ["items other"],
        ),
        (BASE, replace(BASE, rows=replace(BASE.rows, values=BASE.rows.values[:2])), "other-items", ["items other"]),
        (LABELLED, rows_to_keep_of(Mcc(), ["x", "z"]), "other-labels", ["labels", "one call of outscore rows"]),
        (
            BASE,
            replace(BASE, implementation=replace(BASE.implementation, packages={"sacrebleu": "1.0"})),
            "other-version",
            ["sacrebleu 1.0", "one call of outscore rows"],
        ),
    ],
)
def test_what_does_not_go_together_is_refused(one: KeptRows, other: KeptRows, slug: str, says: Sequence[str]) -> None:
    refuse_mixture(one, one)
    with pytest.raises(OptionError) as caught:
        refuse_mixture(one, replace(other, rows=replace(other.rows, name="b")))
    [problem] = caught.value.problems
    assert (problem.where, problem.slug) == ("b", slug)
    for part in says:
        assert part in str(problem)


def test_outputs_beside_kept_rows_need_their_labels_and_versions(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, baseline, candidate = files(MacroF1())
    kept = keep(tmp_path / "a.npz", *rows_to_keep([baseline], [reference], MacroF1()))
    with pytest.raises(OptionError, match="other-labels"):
        read_outputs([kept, candidate], [reference])  # whose "w" no one else has
    metric, _ = read_outputs([kept, baseline], [reference])
    assert spec_of(metric, without=["labels"]) == "macro-f1"
    kept = keep(
        tmp_path / "b.npz",
        *rows_to_keep([files(output_metric("bleu"))[1]], [files(output_metric("bleu"))[0]], output_metric("bleu")),
    )
    monkeypatch.setattr("outscore.readers.kept.rows.versions_of", lambda metric: {"sacrebleu": "9"})
    read_outputs([kept, kept])
    with pytest.raises(OptionError, match=r"sacrebleu 9.*other-version"):
        read_outputs([kept, files(output_metric("bleu"))[1]], [files(output_metric("bleu"))[0]])


@dataclass(frozen=True)
class Unregistered(ExactMatch):  # type: ignore[misc, valid-type]
    name = "unregistered"


@dataclass(frozen=True)
class OfTexts(RecomputedMetric[str, str]):
    name = "exact-match"
    output_type = str
    reference_type = str
    higher_is_better = True
    citation = ""

    def score_of(self, outputs: Sequence[str], references: Sequence[str]) -> float:
        return 0.0


@pytest.mark.parametrize("metric", [Unregistered(), OfTexts()])
def test_what_cannot_be_kept_is_said(metric: Any, tmp_path: Path) -> None:
    for name in "rab":
        (tmp_path / name).write_text("x\ny\n")
    kept = rows_to_keep([str(tmp_path / "a")], [str(tmp_path / "r")], metric)
    with pytest.raises(OptionError, match=r"cannot-be-kept|unknown-metric"):
        packed_rows(kept[0])


WITH_LINES = replace(BASE, rows=replace(BASE.rows, lines=[1, 2, 3]))
VALID = packed_rows(WITH_LINES)


def read_or_error(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        back = read_kept_rows(str(path))
    except OutscoreError as error:
        for problem in error.problems:
            assert str(problem).isprintable()
    else:
        assert np.isfinite(back.rows.values).all()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), max_size=4),
    st.integers(0, 10**4) | st.none(),
)
def test_damaged_files_are_an_error_or_a_result(
    tmp_path: Path, changes: Sequence[tuple[int, int]], length: int | None
) -> None:
    data = bytearray(VALID)
    for place, byte in changes:
        data[place % len(data)] = byte
    read_or_error(tmp_path / "a.npz", bytes(data[:length]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_header_is_an_error_or_a_result(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(VALID)
    content = unpacked(str(path))
    header = dict(content.header)
    for name in data.draw(st.lists(st.sampled_from(sorted(header)), min_size=1, max_size=3)):
        header[name] = data.draw(json_values)
        if isinstance(content.header[name], dict) and data.draw(st.booleans()):
            inside = data.draw(st.sampled_from([*sorted(content.header[name]), "x"]))
            header[name] = {**content.header[name], inside: data.draw(json_values)}
    read_or_error(path, to_npz(Packed(header, content.values, content.item_ids, content.lines)))


@pytest.mark.parametrize(
    ("header", "values", "says"),
    [
        ({"version": 2}, None, "version 2"),
        ({"kind": "other"}, None, "another kind"),
        ({"metric": "bleo"}, None, "unknown metric"),
        ({"options": {"tokeniser": "zh"}}, None, "options are unknown"),
        ({"statistics": ["a"]}, None, "columns"),
        ({}, [[1.0, 2.0]] * 3, "columns"),
        ({}, [[1.0] * 10], "1 item"),
        ({}, [[np.nan] * 10] * 3, "finite"),
    ],
)
def test_files_of_something_else_are_refused(
    header: Mapping[str, object], values: Sequence[Sequence[float]] | None, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(VALID)
    content = unpacked(str(path))
    given_values = content.values if values is None else np.array(values)
    lines = None if values is not None else content.lines
    path.write_bytes(to_npz(Packed({**content.header, **header}, given_values, None, lines)))
    with pytest.raises(OutscoreError, match=says):
        read_kept_rows(str(path))


FAULTS: Sequence[tuple[Any, Sequence[float], str]] = [
    (output_metric("bleu"), [-1.0] + [0.0] * 9, "expected 0 or more, got -1"),
    (output_metric("bleu"), [9.0, 9.0, 5.0, 0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 4.0], "expected at most ngrams_1"),
    (output_metric("mae"), [1e308, 1.0], "in size, got 1e+308"),
    (output_metric("mae"), [-7.0, 1.0], "expected 0 or more, got -7"),
    (MacroF1(("a",)), [2.0, 1.0, 3.0], "expected at most predicted"),
]


@pytest.mark.parametrize(("metric", "row", "says"), FAULTS, ids=[f"{metric.name}-{says}" for metric, _, says in FAULTS])
def test_rows_that_no_item_has_are_refused(metric: Any, row: Sequence[float], says: str, tmp_path: Path) -> None:
    kept = rows_to_keep_of(metric)
    values = np.array([row, row], float)
    assert values.shape[1] == len(metric.statistics)
    path = keep(tmp_path / "a.npz", replace(kept, rows=Rows("a", values, None, [1, 2])))
    with pytest.raises(OutscoreError, match="an impossible row, number 1: statistic") as caught:
        read_kept_rows(path)
    assert says in str(caught.value)


def test_text_in_kept_rows_reaches_no_terminal_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(VALID)
    content = unpacked(str(path))
    escape = "\x1b]0;owned\x07\x1b[31m"
    for name in content.header:
        for value in (escape, {escape: escape}, [escape], {escape: [escape]}):
            changed = Packed({**content.header, name: value}, content.values, content.item_ids, content.lines)
            path.write_bytes(to_npz(changed))
            read_or_error(path, path.read_bytes())
            with suppress(OutscoreError):
                kept = read_kept_rows(str(path))
                assert kept.rows.name.isprintable()
                assert all(
                    map(str.isprintable, [*kept.implementation.packages, *kept.implementation.packages.values()])
                )


def test_files_are_told_from_others_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "kept-as-npz").write_bytes(VALID)
    assert is_kept(str(tmp_path / "kept-as-npz"))
    assert read_kept_rows(str(tmp_path / "kept-as-npz")).named == output_metric("bleu")
    import polars

    polars.DataFrame({"score": [1.0, 2.0]}).write_parquet(tmp_path / "scores.parquet")
    polars.DataFrame({"ngrams": [1.0, 2.0], "outscore.header": ["{}", "{}"]}).write_parquet(tmp_path / "former.parquet")
    assert is_kept(str(tmp_path / "former.parquet"))
    with pytest.raises(
        DataError, match=r"got a Parquet file\. Write them again with outscore rows\. \[not-kept-rows\]"
    ):
        read_outputs([str(tmp_path / "former.parquet"), str(tmp_path / "kept-as-npz")])
    np.savez(tmp_path / "other", x=np.zeros(3))
    (tmp_path / "other.npz").rename(tmp_path / "other.zip")
    for name in ("scores.parquet", "other.zip", "missing", ".", "\0"):
        assert not is_kept(str(tmp_path / name))
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(OutscoreError, match="not-kept-rows"):
        read_kept_rows(str(tmp_path / "empty.npz"))
