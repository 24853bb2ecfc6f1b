"""Runs, samples, weights and test sets come through every door alike: files, frames, arrays, scores once read."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.frozen.cases import run
from tests.planning.kit import pilot_of

import outscore
from outscore.errors import DataError, OptionError

N, M = 24, 3
NAMES = ("base", "new", "third")
WORDS = [*"abcdefgh"]


def scores() -> dict[str, Any]:
    stream = np.random.default_rng(0)
    return {name: stream.integers(0, 2, (N, M)).astype(float) for name in NAMES}


def labels(of: str) -> list[str]:
    return [f"d{i // 3}" if of == "doc" else "ab"[i // 12] for i in range(N)]


def cells(name: str) -> list[dict[str, Any]]:
    """Return one row an item and run of a system."""
    of = scores()[name]
    return [
        {"item": f"q{i:02}", "seed": f"s{r}", "score": of[i, r], "doc": labels("doc")[i], "half": labels("half")[i]}
        for i in range(N)
        for r in range(M)
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the same runs in every form, and be there."""
    monkeypatch.chdir(tmp_path)
    stream = np.random.default_rng(1)
    reference = [" ".join(stream.choice(WORDS, 9)) for _ in range(N)]
    Path("ref.txt").write_text("\n".join(reference) + "\n")
    Path("weights.csv").write_text("stratum,weight\na,0.3\nb,0.7\n")
    table = []
    for name in NAMES:
        rows = cells(name)
        head = ",".join(rows[0])
        Path(f"{name}.csv").write_text("\n".join([head, *(",".join(map(str, row.values())) for row in rows)]) + "\n")
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        table += [",".join([name, *map(str, row.values())]) for row in rows]
        for r in range(M):
            own = [row for row in rows if row["seed"] == f"s{r}"]
            Path(f"{name}.{r}.csv").write_text(
                "\n".join([head, *(",".join(map(str, row.values())) for row in own)]).replace(",seed", ",notes") + "\n"
            )
            Path(f"{name}.{r}.num").write_text("".join(f"{row['score']}\n" for row in own))
            noise = [[w if stream.random() > 0.3 else "x" for w in line.split()] for line in reference]
            Path(f"{name}.{r}.txt").write_text("".join(" ".join(line) + "\n" for line in noise))
    Path("long.csv").write_text("\n".join([f"system,{head}", *table]) + "\n")
    return tmp_path


def frames(library: str) -> list[Any]:
    module = pytest.importorskip(library)
    return [module.DataFrame({key: [row[key] for row in cells(name)] for key in cells(name)[0]}) for name in NAMES]


def runs_of(name: str, ending: str) -> str:
    return f"{name}=" + ",".join(f"{name}.{r}.{ending}" for r in range(M))


def ragged() -> dict[str, Any]:
    return {name: [list(row) for row in of] for name, of in scores().items()}


DOORS: dict[str, Callable[[], tuple[list[Any], dict[str, Any]]]] = {
    "arrays": lambda: ([*scores().values()], {}),
    "lists": lambda: ([*ragged().values()], {}),
    "tables": lambda: ([f"{name}.csv" for name in NAMES], {"run": "seed"}),
    "tables that name their runs": lambda: ([f"{name}.csv" for name in NAMES], {}),
    "jsonl": lambda: ([f"{name}.jsonl" for name in NAMES], {"run": "seed"}),
    "systems of a table": lambda: ([f"long.csv:{name}" for name in NAMES], {"run": "seed"}),
    "run files": lambda: ([runs_of(name, "num") for name in NAMES], {}),
    "run files with ids": lambda: ([runs_of(name, "csv") for name in NAMES], {"score_column": "score"}),
    "run files with columns": lambda: (
        [f"{name}=" + ",".join(f"{name}.{r}.csv:score" for r in range(M)) for name in NAMES],
        {},
    ),
    "pandas": lambda: (frames("pandas"), {"run": "seed"}),
    "polars": lambda: (frames("polars"), {"run": "seed"}),
}
LABELS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clusters": {"clusters": labels("doc")},
    "strata": {"strata": labels("half"), "weights": "macro"},
    "weights": {"strata": labels("half"), "weights": {"a": 0.3, "b": 0.7}},
}


def figures(result: Any) -> list[float]:
    return [figure for c in result.comparisons for figure in (c.gain, c.test.p_value, c.interval.low, c.interval.high)]


@cache
def figures_of_arrays(runs: str, labels_name: str) -> list[float]:
    return figures(outscore.compare(*scores().values(), runs=runs, **LABELS[labels_name]))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("runs", ["random", "fixed", "samples"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_tells_the_same(door: str, runs: str) -> None:
    for name, reading in LABELS.items():
        systems, own = DOORS[door]()
        result = outscore.compare(*systems, runs=runs, **own, **reading)
        assert figures(result) == pytest.approx(figures_of_arrays(runs, name), rel=1e-9)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_of_all_systems(library: str) -> None:
    module = pytest.importorskip(library)
    columns = {"system": [name for name in NAMES for _ in range(N * M)]}
    columns |= {key: [row[key] for name in NAMES for row in cells(name)] for key in cells("base")[0]}
    frame = module.DataFrame(columns)
    reading: Any
    for reading in (
        {"clusters": "doc"},
        {"strata": "half", "weights": "macro"},
        {"strata": "half", "weights": "weights.csv"},
        {"test_sets": "half"},
    ):
        from_frame, from_file, from_mapping = (
            outscore.rank(of, runs="random", **how)
            for of, how in (
                (frame, {"run": "seed", **reading}),
                ("long.csv", {"run": "seed", **reading}),
                (
                    scores(),
                    {key: labels({"clusters": "doc"}.get(key, "half")) for key in reading if key != "weights"}
                    | (
                        {"weights": {"a": 0.3, "b": 0.7} if ".csv" in reading["weights"] else "macro"}
                        if "weights" in reading
                        else {}
                    ),
                ),
            )
        )
        assert from_frame == from_file
        results = [
            result if isinstance(result, outscore.Rankings) else [result] for result in (from_file, from_mapping)
        ]
        for one, other in zip(*results, strict=True):
            assert [pair.candidate for pair in one.pairs] == [pair.candidate for pair in other.pairs]
            assert [pair.gain for pair in one.pairs] == pytest.approx([pair.gain for pair in other.pairs])


@pytest.mark.usefixtures("folder")
def test_scores_that_were_read_once_answer_several_questions() -> None:
    systems: Any = scores()
    read = outscore.read(systems, runs="random", clusters=labels("doc"))
    how: Any = {"runs": "random", "clusters": labels("doc")}
    assert outscore.compare(read) == outscore.compare(systems, baseline="base", **how)
    assert outscore.rank(read) == outscore.rank(systems, **how)
    assert outscore.score(read) == outscore.score(systems, **how)
    two = read.ordered([0, 1])
    assert outscore.plan_runs(two, gain=0.5) == outscore.plan_runs(
        systems["base"], systems["new"], gain=0.5, **{**how, "names": ["base", "new"]}
    )
    fixed = outscore.read(systems, metric="accuracy", runs="fixed")
    options = outscore.StudyOptions(min_pairs=1)
    assert (
        outscore.study_gain(fixed, options).pairs
        == outscore.study_gain(systems, options, metric="accuracy", runs="fixed").pairs
    )
    assert pilot_of(fixed.ordered([0, 1])).describe()


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_told_of_runs_is_refused() -> None:
    random, several = (
        outscore.read(scores(), runs="random"),
        outscore.read(scores(), runs="fixed", test_sets=labels("half")),
    )
    two = [of.ordered([0, 1]) for of in (random, several)]
    for ask, slug in (
        (lambda: outscore.study_gain(random), "runs-random"),
        (lambda: outscore.study_gain(several), "several-test-sets"),
        (lambda: outscore.pilot(two[0]), "runs-random"),
        (lambda: outscore.pilot(two[1]), "several-test-sets"),
        (lambda: outscore.compare("base.csv", "new.csv", unpaired=True), "runs-undeclared"),
        (lambda: outscore.compare(*scores().values(), runs="random", unpaired=True), "unpaired"),
        (lambda: outscore.compare(random, unpaired=True), "unpaired"),
        (lambda: outscore.compare("base.csv,base.0.csv", "new.csv", runs="random", run="seed"), "runs-in-a-run"),
    ):
        with pytest.raises((OptionError, DataError), match=rf"\[{slug}\]"):
            ask()


@pytest.mark.usefixtures("folder")
def test_labels_of_a_table_with_runs() -> None:
    own = outscore.compare("base.csv", "new.csv", runs="samples", run="seed", clusters="doc")
    other = outscore.compare("base.csv", "new.csv", runs="samples", run="seed", clusters="third.csv:doc")
    assert figures(own) == figures(other)
    table = outscore.rank("long.csv", runs="samples", run="seed", clusters="third.csv:doc")
    assert table == outscore.rank("long.csv", runs="samples", run="seed", clusters="doc")


@pytest.mark.usefixtures("folder")
def test_run_files_of_outputs_and_of_kept_rows() -> None:
    systems = [runs_of(name, "txt") for name in ("base", "new")]
    how: Any = {"references": "ref.txt", "metric": "chrf", "n_resamples": 200}
    for runs in ("random", "fixed", "samples"):
        assert (
            run(f"rows {' '.join(f'{n}.{r}.txt' for n in NAMES for r in range(M))} -r ref.txt -m chrf -o kept/")[0] == 0
        )
        kept = [f"{n}=" + ",".join(f"kept/{n}.{r}.chrf.npz" for r in range(M)) for n in ("base", "new")]
        one = outscore.compare(*systems, runs=runs, **how)
        assert figures(outscore.compare(*kept, runs=runs, n_resamples=200)) == figures(one)
        line = f"compare {' '.join(systems)} -r ref.txt -m chrf --n-resamples 200 --runs {runs} --format json"
        assert run(line) == (0, one.to_json(), "")
    status, _, err = run(f"rows {systems[0]} -r ref.txt -m chrf -o kept/")
    assert status == 2
    assert "[several-runs]" in err


def test_a_ranking_of_single_runs_is_refused() -> None:
    with pytest.raises(OptionError, match=r"\[one-run\]"):
        outscore.rank({name: of[:, :1] for name, of in scores().items()}, runs="random")
