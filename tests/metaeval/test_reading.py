"""Human and metric scores in all forms, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.cli import main
from outscore.errors import DataError, OptionError, OutscoreError
from tests.kit import listed
from tests.metaeval.kit import MetaReading, read_judgements
from tests.metaeval.plain import made

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "meta"
REALSUMM = Path(__file__).resolve().parents[3] / "shared" / "data" / "summ-realsumm"
HUMAN, METRICS = EXAMPLES / "human-scores/en-de.mqm.seg.score", EXAMPLES / "metric-scores/en-de"


@pytest.fixture
def expected() -> Any:
    human, metrics = made(11)
    human[5, 2] = np.nan
    documents = [f"d{item // 4}" for item in range(len(human))]
    return outscore.meta(human, metrics, clusters=documents)


def cells() -> list[tuple[int, int, str, float, float]]:
    human, metrics = made(11)
    human[5, 2] = np.nan
    return [
        (
            item,
            system,
            "" if np.isnan(human[item, system]) else f"{human[item, system]:g}",
            *(m[item, system] for m in metrics.values()),
        )
        for system in range(human.shape[1])
        for item in range(len(human))
    ]


def same(result: Any, expected: Any) -> None:
    assert [one.name for one in result] == [one.name for one in expected]
    for one, other in zip(result, expected, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-12)
        assert one.epsilon == pytest.approx(other.epsilon, abs=1e-12)
    assert result.pairs[0].p_value == pytest.approx(expected.pairs[0].p_value, rel=1e-9)


def test_a_long_table(tmp_path: Path, expected: Any) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"system{system},{item},d{item // 4},{h},{a!r},{b!r}" for item, system, h, a, b in cells()]
    path.write_text(
        "\n".join(["system,item,document,human,a,b", *rows]).replace("np.float64(", "").replace(")", "") + "\n"
    )
    same(outscore.meta(f"{path}:human", f"{path}:a", f"{path}:b"), expected)
    same(outscore.meta(f"{path}:human"), expected)  # all other columns
    for none in ("none", "None", " NONE "):
        assert outscore.meta(f"{path}:human", f"{path}:a", clusters=none).unit == "segment"


def test_json_lines_of_wmt(tmp_path: Path, expected: Any) -> None:
    path = tmp_path / "wmt.jsonl"
    records: dict[int, dict[str, dict[str, float]]] = {}
    for item, system, h, a, b in cells():
        own = {"human": float(h)} if h else {}
        records.setdefault(item, {})[f"system{system}"] = {**own, "a": float(a), "b": float(b)}
    lines = [
        json.dumps({"item": item, "doc_id": f"d{item // 4}", "scores": scores}) for item, scores in records.items()
    ]
    path.write_text("\n".join(lines) + "\n")
    same(outscore.meta(f"{path}:human", f"{path}:a", f"{path}:b"), expected)


def test_two_waves_of_wmt25_are_averaged(tmp_path: Path, expected: Any) -> None:
    path = tmp_path / "wmt.jsonl"
    records: dict[int, dict[str, dict[str, float]]] = {}
    for item, system, h, a, b in cells():
        own = {"human1": float(h) - 1, "human2": float(h) + 1} if h else {}
        records.setdefault(item, {})[f"system{system}"] = {**own, "a": float(a), "b": float(b)}
    lines = [
        json.dumps({"doc_id": f"en-cs_#_news_#_d{item // 4}_#_{item % 4}", "scores": scores})
        for item, scores in records.items()
    ]
    path.write_text("\n".join(lines) + "\n")
    same(outscore.meta(f"{path}:human", f"{path}:a", f"{path}:b"), expected)


def test_ratings_of_errors_are_human_scores(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/en-de.docs").write_bytes((EXAMPLES / "documents/en-de.docs").read_bytes())
    path = tmp_path / "human-scores" / "en-de.mqm.merged.seg.rating"
    lines = []
    for system, score in (line.split() for line in HUMAN.read_text().splitlines()):
        error = {"start": 0, "end": 1, "category": "accuracy", "severity": "minor", "score": None}
        rating = "None" if score == "None" else json.dumps({"errors": [{**error, "score": -float(score)}]})
        lines.append(f"{system}\t{rating}" + ("" if score == "None" else "\trater1"))
    path.parent.mkdir()
    path.write_text("\n".join(lines) + "\n")
    same(outscore.meta(path, METRICS), outscore.meta(HUMAN, METRICS))
    path.write_text("\n".join([*lines, "A\t-3"]) + "\n")
    with pytest.raises(DataError, match=rf"seg.rating:{len(lines) + 1}: expected a system and a rating"):
        outscore.meta(path, METRICS)


def test_tables_of_items_and_systems(tmp_path: Path, expected: Any) -> None:
    human, metrics = made(11)
    human[5, 2] = np.nan
    for name, scores in {"human": human, **metrics}.items():
        header = "\t".join(["item", *(f"system{system}" for system in range(scores.shape[1]))])
        rows = [
            "\t".join([str(item), *("" if np.isnan(x) else repr(float(x)) for x in row)])
            for item, row in enumerate(scores)
        ]
        (tmp_path / f"scores.{name}.tsv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "items.tsv").write_text(
        "\n".join(["item\tdoc", *(f"{item}\td{item // 4}" for item in range(60))]) + "\n"
    )
    files = [tmp_path / f"scores.{name}.tsv" for name in ("human", "a", "b")]
    same(outscore.meta(*files, clusters=f"{tmp_path / 'items.tsv'}:doc"), expected)


@pytest.mark.skipif(not REALSUMM.is_dir(), reason="REALSumm is not in ../shared")
def test_realsumm() -> None:
    names = ("litepyramid_recall", "rouge_1_recall", "rouge_2_recall", "bert_f_score")
    files = [REALSUMM / f"scores.{name}.tsv" for name in names]
    result = outscore.meta(*files, statistic="kendall-item")
    assert {metric.name for metric in result} == set(names[1:])
    assert (result.tasks[0].n_systems, result.tasks[0].n_segments) == (25, 100)
    assert result["rouge_2_recall"].score > result["bert_f_score"].score


def test_language_pairs_are_averaged(tmp_path: Path) -> None:
    of = {}
    for pair in ("en-de", "en-cs"):
        human, metrics = EXAMPLES / f"human-scores/{pair}.mqm.seg.score", EXAMPLES / f"metric-scores/{pair}"
        of[pair] = outscore.meta(human, metrics)
    humans = [EXAMPLES / f"human-scores/{pair}.mqm.seg.score" for pair in of]
    both = outscore.meta(*humans, *(EXAMPLES / f"metric-scores/{pair}" for pair in of), weights={"en-de": 3})
    for metric in both:
        assert metric.score == pytest.approx((3 * of["en-de"][metric.name].score + of["en-cs"][metric.name].score) / 4)
        assert metric.epsilon is None
    assert both.n_units == 30
    assert [task.name for task in both.tasks] == ["en-de", "en-cs"]
    rows = [
        f"{p},{s},{i},{h},{m}"
        for p in ("x", "y")
        for s in "ab"
        for i, h, m in ((1, 2, 3 if s == "a" else 1), (2, 1, 4), (3, 3 + (s == "a"), 5))
    ]
    path = tmp_path / "sets.csv"
    path.write_text("\n".join(["lp,system,item,human,m", *rows]) + "\n")
    assert len(outscore.meta(f"{path}:human", f"{path}:m", test_sets="lp").tasks) == 2


def test_labels_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    rows = ["1,yes,yes,no", "2,no,no,no", "3,yes,yes,yes", "4,no,yes,no", "5,yes,yes,no", "6,no,no,no"]
    path.write_text("\n".join(["item,human,x,y", *rows]) + "\n")
    result = outscore.meta(f"{path}:human", f"{path}:x", f"{path}:y", statistic="agreement")
    assert {metric.name: metric.score for metric in result} == {"x": pytest.approx(5 / 6), "y": pytest.approx(4 / 6)}


def test_references_and_systems_without_scores_are_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    systems = ["A", "B", "C", "refA", "synthetic_ref"]

    def write(path: Path, names: list[str]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(
                f"{name}\t{'None' if place == 3 and 'human' in str(path) else rng.integers(5)}\n"
                for name in names
                for place in range(9)
            )
        )
        return path

    human = write(tmp_path / "human-scores/en-de.mqm.seg.score", systems)
    one = write(tmp_path / "metric-scores/en-de/one-refA.seg.score", systems[:3])
    two = write(tmp_path / "metric-scores/en-de/two-src.seg.score", systems[:2])
    (data,) = read_judgements([str(human), str(one), str(two)], MetaReading())
    assert data.systems == ("A", "B")
    assert list(data.metrics) == ["one", "two[noref]"]
    assert not data.rated[:, 3].any()
    assert data.documents is None
    assert data.notes[0] == 'Left out, because metrics use them as references: "refA".'
    assert data.notes[1] == 'Left out, because not all metrics score them: "C", "synthetic_ref".'


@pytest.mark.parametrize("reference", ["refB", "src", "all"])
def test_only_references_that_metrics_use_are_left_out(tmp_path: Path, reference: str) -> None:
    systems = ["A", "B", "refA", "refB"]
    rng = np.random.default_rng(1)
    paths = [
        tmp_path / "human-scores/he-en.mqm.seg.score",
        tmp_path / f"metric-scores/he-en/one-{reference}.seg.score",
        tmp_path / f"metric-scores/he-en/two-{reference}.seg.score",
    ]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{name}\t{rng.integers(5)}\n" for name in systems for _ in range(9)))
    files = [str(path) for path in paths]
    (data,) = read_judgements(files, MetaReading())
    expected = {"refB": ("A", "B", "refA"), "src": tuple(systems), "all": ("A", "B")}[reference]
    assert data.systems == expected
    used = [one for one in systems if one not in expected]
    left_out = [note for note in data.notes if "metrics use them as references" in note]
    assert left_out == ([f"Left out, because metrics use them as references: {listed(used)}."] if used else [])
    kept = [note for note in data.notes if note.startswith("Compared as systems")]
    assert len(kept) == (reference != "all")
    (chosen,) = read_judgements(files, MetaReading(systems=("A", "refB")))
    assert chosen.systems == ("A", "refB")
    assert not any('"refB"' in note for note in chosen.notes)


def test_systems_are_chosen_by_name() -> None:
    rng = np.random.default_rng(2)
    human = rng.integers(5, size=(40, 4)).astype(float)
    metrics = {"m": human + rng.normal(size=human.shape), "n": -human + rng.normal(size=human.shape)}
    names, kept = ["system 1", "system 3", "system 4"], [0, 2, 3]
    some = outscore.meta(human, metrics, systems=names, statistic="pearson", n_resamples=100)
    by_hand = {name: np.corrcoef(human[:, kept].ravel(), of[:, kept].ravel())[0, 1] for name, of in metrics.items()}
    assert {one.name: one.score for one in some} == pytest.approx(by_hand)
    assert some.tasks[0].n_systems == 3
    listed_names = ",".join(["sampled", *names])
    assert outscore.meta(human, metrics, systems=listed_names, statistic="pearson").n_units == 3
    for systems, message in (("system 1,X", 'is called "X"'), ("fixed,sampled", "got both"), ("", "names of systems")):
        with pytest.raises(OptionError, match=message):
            outscore.meta(human, metrics, systems=systems)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A b", r":2: expected a system and a score"),
        ("A", r":2: expected"),
        ("B 1", "one score per segment|at least two systems"),
    ],
)
def test_hostile_lines(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "human.seg.score"
    path.write_text(f"A 1\n{line}\nA 2\n")
    with pytest.raises(DataError, match=message):
        outscore.meta(path, METRICS / "north-refA.seg.score")


def test_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="at least one metric"):
        outscore.meta(str(HUMAN))
    with pytest.raises(OptionError, match='expected metrics of "en-cs"'):
        outscore.meta(HUMAN, EXAMPLES / "human-scores/en-cs.mqm.seg.score", METRICS)
    with pytest.raises(OutscoreError, match=r"cannot|not exist|no such"):
        outscore.meta(str(tmp_path / "none.csv:human"), str(tmp_path / "none.csv:a"))
    with pytest.raises(OptionError, match="shape"):
        outscore.meta(np.ones((4, 2)), {"a": np.ones((3, 2))})


def test_the_command_is_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["meta", str(HUMAN), str(METRICS), "--format", "json", "-q"])
    printed = json.loads(capsys.readouterr().out)
    result = outscore.meta(HUMAN, METRICS)
    assert printed == json.loads(result.to_json())
    assert {"name", "score", "epsilon", "rank_low", "rank_high"} <= set(printed["metrics"][0])
    assert {"better", "worse", "gain", "p_value", "corrected_p_value"} <= set(printed["pairs"][0])
    with pytest.raises(SystemExit):
        main(["meta", str(HUMAN), str(METRICS), "-s", "spa,acc-t", "--weights", "spa=2", "--n-resamples", "200", "-q"])
    assert "agrees best with people" in capsys.readouterr().out


def test_reports(tmp_path: Path) -> None:
    result = outscore.meta(HUMAN, METRICS, emulate="mtme")
    for text in (result.to_text(), result.to_markdown(), result.to_latex(), result.to_html()):
        assert "north" in text
        assert "mt-metrics-eval" in text
    assert len(result.to_dataframe(backend="polars")) == 4
    assert result.to_csv(pairs=True).count("\n") == 7
    assert result.sentences[0].startswith("north agrees best with people of 4 metrics")
    one = outscore.meta(HUMAN, METRICS / "north-refA.seg.score")
    assert one.to_text().startswith("north agrees with people: acc-t 0.7")
    assert one.pairs == ()


def test_annotations_of_summeval_are_averaged(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    ratings = rng.integers(1, 6, (10, 3, 3))  # summaries of 10 articles by 3 systems, each with 3 experts
    scores = ratings.mean(axis=2) + rng.normal(size=(10, 3))
    records, lines = [], ["id,model_id,rouge"]
    for item, system in np.ndindex(10, 3):
        experts = [{"coherence": int(of), "fluency": 5} for of in ratings[item, system]]
        crowd = [{"coherence": 1, "fluency": 5}]
        records.append({"id": f"d{item}", "model_id": f"M{system}", "decoded": "x", "references": ["a", "b"],
                        "expert_annotations": experts, "turker_annotations": crowd})  # fmt: skip
        lines.append(f"d{item},M{system},{scores[item, system]}")
    path = tmp_path / "model_annotations.aligned.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    (tmp_path / "metrics.csv").write_text("\n".join(lines))
    specs = [f"{path}:expert_annotations.coherence", str(tmp_path / "metrics.csv")]
    [data] = read_judgements(specs, MetaReading())
    assert pytest.approx(ratings.mean(axis=2)) == data.human.T
    assert pytest.approx(scores) == data.metrics["rouge"].T
    assert any(note.startswith("Annotations of an output are averaged") for note in data.notes)
