"""A stored baseline: its looks, runs of one commit, and what it refuses."""

from __future__ import annotations

import json
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import outscore
from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError
from tests.conftest import examples
from tests.gating.kit import MOST_COMMITS, GateOutcome, StoredReading, locked, read_store
from tests.readers.kit import Reading, is_store
from tests.running import COMMIT_VARIABLES

N = 400
Write = Callable[..., str]


@pytest.fixture(autouse=True)
def no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in COMMIT_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a table of right or wrong answers, in another order each time, and return its name."""

    def written(name: str, seed: int, share: float = 0.8, items: range = range(N)) -> str:
        rng = np.random.default_rng(seed)
        right = (rng.random(N) < share).astype(int)
        order = [int(place) for place in rng.permutation(len(items))]
        path = tmp_path / name
        lines = [f"q{items[place]},{right[items[place]]},topic{items[place] % 40}" for place in order]
        path.write_text("id,score,topic\n" + "\n".join(lines) + "\n")
        return str(path)

    return written


@pytest.fixture
def store(tmp_path: Path, write: Write) -> str:
    path = str(tmp_path / "store.json")
    outscore.gate_accept(write("base.csv", 1), path, metric="accuracy", score_column="score")
    return path


def _answers(path: str) -> dict[str, int]:
    rows = [line.split(",") for line in Path(path).read_text().splitlines()[1:]]
    return {item: int(score) for item, score, _ in rows}


def test_a_stored_baseline_says_what_the_two_systems_say(store: str, write: Write, tmp_path: Path) -> None:
    new = write("new.csv", 2)
    stored = outscore.gate(store, new, margin=0.1)
    direct = outscore.gate(
        tmp_path / "base.csv", new, margin=0.1, metric="accuracy", score_column="score", alpha=stored.level
    )
    assert stored.level == 0.025
    assert stored.checks == direct.checks
    assert (stored.outcome, stored.baseline, stored.candidate) == (direct.outcome, "base", "new")


def test_items_are_looked_at_one_by_one(store: str, write: Write) -> None:
    result = outscore.gate(store, write("bad.csv", 5, 0.3), margin=0.1, sequential=True, seed=3)
    assert result.outcome is GateOutcome.FAILED
    assert result.sequential is not None
    assert 0 < result.sequential.n_read < result.sequential.n_items == N
    assert read_store(store).looks[0].outcome is GateOutcome.FAILED


def test_it_holds_no_texts_and_reads_as_a_store(store: str) -> None:
    assert is_store(store)
    keys = set(json.loads(Path(store).read_text()))
    assert keys == {
        *("schema", "outscore", "system", "commit", "run", "digest", "declared", "reading", "labels", "metrics"),
        *("runs", "looks", "commits", "former"),
    }


def test_every_look_is_counted(store: str, write: Write) -> None:
    results = [outscore.gate(store, write("new.csv", seed), margin=0.1) for seed in (2, 3, 3)]
    assert [result.look for result in results] == [1, 2, 3]
    assert [result.level for result in results] == [0.05 / 2, 0.05 / 6, 0.05 / 12]
    looks = read_store(store).looks
    assert [look.outcome for look in looks] == [result.outcome for result in results]
    assert looks[1].run == looks[2].run != looks[0].run


def test_planned_looks_run_out(store: str, write: Write) -> None:
    results = [outscore.gate(store, write("new.csv", seed, 0.99), margin=0.1, looks=2) for seed in (2, 3, 4)]
    assert [result.level for result in results] == [0.025, 0.025, 0.0]
    assert results[2].outcome is GateOutcome.INCONCLUSIVE


def test_per_commit_looks_are_those_at_the_commit(store: str, write: Write) -> None:
    options = {"margin": 0.1, "error": "per-commit"}
    levels = [
        outscore.gate(store, write("new.csv", seed), commit=commit, **options).level  # type: ignore[arg-type]
        for seed, commit in ((2, "a"), (3, "b"), (4, "b"))
    ]
    assert levels == [0.05, 0.05, 0.0]


def test_runs_of_one_commit_are_averaged(store: str, write: Write) -> None:
    runs = [write(f"run{seed}.csv", seed) for seed in (2, 3, 4)]
    results = [outscore.gate(store, run, margin=0.1, commit="abc") for run in runs]
    assert [result.n_runs for result in results] == [1, 2, 3]
    by_item: dict[str, list[int]] = {}
    for run in runs:
        for item, score in _answers(run).items():
            by_item.setdefault(item, []).append(score)
    means = {item: sum(of) / len(of) for item, of in by_item.items()}
    alone = outscore.gate(
        _answers(str(Path(store).parent / "base.csv")),
        means,
        metric="mean:lowest=0,highest=1",
        margin=0.1,
        alpha=results[2].level,
    )
    check, other = results[2].checks[0], alone.checks[0]
    assert check.gain == pytest.approx(other.gain, abs=1e-12)
    assert check.p_pass == pytest.approx(other.p_pass, rel=1e-9)
    assert check.p_fail == pytest.approx(other.p_fail, rel=1e-9)


def test_the_same_scores_of_a_commit_are_no_other_run(store: str, write: Write) -> None:
    run = write("run.csv", 2)
    results = [outscore.gate(store, run, margin=0.1, commit="abc") for _ in range(2)]
    assert [(result.look, result.n_runs) for result in results] == [(1, 1), (2, 1)]


def test_a_commit_is_what_the_environment_says(store: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_COMMIT_SHA", "fromtheenvironment")
    assert outscore.gate(store, write("new.csv", 2), margin=0.1).commit == "fromtheenvironment"
    assert outscore.gate(store, write("new.csv", 3), margin=0.1, commit="").commit is None


def test_runs_of_old_commits_are_forgotten_and_looks_are_not(store: str, write: Write) -> None:
    n = MOST_COMMITS + 2
    for place in range(n):
        outscore.gate(store, write("new.csv", 2 + place), margin=0.1, commit=f"c{place}")
    kept = read_store(store)
    assert (len(kept.looks), len(kept.commits)) == (n, MOST_COMMITS)
    again = outscore.gate(store, write("new.csv", 2), margin=0.1, commit="c0")
    assert (again.look, again.n_runs) == (n + 1, 1)


def _look(store: str, new: str) -> None:
    outscore.gate(store, new, margin=0.1)


def test_processes_lose_no_look(store: str, write: Write) -> None:
    new = write("new.csv", 2)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_look, args=(store, new)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * 3
    assert [look.look for look in read_store(store).looks] == [1, 2, 3]


def test_the_run_that_won_is_no_baseline(store: str, write: Write) -> None:
    new = write("new.csv", 2)
    outscore.gate(store, new, margin=0.1)
    with pytest.raises(OptionError, match="check 1 used these scores"):
        outscore.gate_accept(new, store, metric="accuracy", score_column="score")
    outscore.gate_accept(new, store, metric="accuracy", score_column="score", same_run=True)
    assert (read_store(store).system, read_store(store).looks) == ("new", [])
    outscore.gate_accept(write("fresh.csv", 3), store, metric="accuracy", score_column="score")


def test_accepting_the_baseline_again_forgets_no_look(store: str, write: Write, tmp_path: Path) -> None:
    outscore.gate(store, write("new.csv", 2), margin=0.1)
    options = {"metric": "accuracy", "score_column": "score"}
    with pytest.raises(OptionError, match="already holds these scores, with 1 check"):
        outscore.gate_accept(tmp_path / "base.csv", store, **options)  # type: ignore[arg-type]
    outscore.gate_accept(tmp_path / "base.csv", store, same_run=True, **options)  # type: ignore[arg-type]
    assert len(read_store(store).looks) == 1


def test_a_candidate_that_cannot_be_read_is_named(store: str) -> None:
    with pytest.raises(FileAccessError, match=r"^nowhere.csv: cannot read file: .*\[cannot-read\]$"):
        outscore.gate(store, "nowhere.csv", margin=0.1)


def test_another_test_set_is_refused_and_no_look_is_counted(store: str, write: Write) -> None:
    with pytest.raises(DataError, match=r"10 item.* missing"):
        outscore.gate(store, write("new.csv", 2, items=range(N - 10)), margin=0.1)
    with pytest.raises(OptionError, match="the test set differs"):
        outscore.gate(store, write("new.csv", 2, items=range(N - 10)), margin=0.1, drop_missing=True)
    with pytest.raises(OptionError, match="applies only when a baseline is accepted"):
        outscore.gate(store, write("new.csv", 2), margin=0.1, clusters="topic")
    assert read_store(store).looks == []


def test_missing_answers_score_zero_where_that_is_said(store: str, write: Write) -> None:
    new = write("new.csv", 2, items=range(N - 3))
    results = [outscore.gate(store, new, margin=0.1, zero_missing=True, commit="a") for _ in range(2)]
    assert results[0].checks[0].n_items == N
    whole = outscore.gate(store, write("run.csv", 3), margin=0.1, zero_missing=True, commit="a")
    assert (whole.n_runs, whole.checks[0].n_items) == (2, N)


@pytest.mark.parametrize("kind", [str, Path, lambda name: [name], lambda name: [Path(name)]])
def test_references_are_read_again_however_they_were_named(kind: Callable[[str], object], tmp_path: Path) -> None:
    texts = [f"cat {place} sat on the mat" for place in range(120)]
    base, new, gold, store = (str(tmp_path / name) for name in ("base.txt", "new.txt", "gold.txt", "store.json"))
    for path in (base, new, gold):
        Path(path).write_text("\n".join(texts) + "\n")
    outscore.gate_accept(base, store, metric="bleu", references=kind(gold))
    assert read_store(store).reading["references"] == [gold]
    assert outscore.gate(store, new, margin=20).outcome is GateOutcome.PASSED


def test_a_candidate_that_is_not_there_is_what_cannot_be_read(store: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.csv")
    with pytest.raises(FileAccessError) as caught:
        outscore.gate(store, missing, margin=0.1)
    assert [problem.slug for problem in caught.value.problems] == ["cannot-read"]
    assert read_store(store).looks == []


def test_other_references_under_the_same_ids_are_refused(tmp_path: Path) -> None:
    texts = [f"the {i} house stands on hill {i * 7 % 13}" for i in range(120)]
    outputs = [text.replace("stands", "is") if i % 3 else text for i, text in enumerate(texts)]
    for name, lines in (("ref", texts), ("out", outputs), ("other", [*texts[:-1], "something else here"])):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    path = str(tmp_path / "store.json")
    reading = {"metric": "chrf", "references": str(tmp_path / "ref.txt")}
    outscore.gate_accept(tmp_path / "out.txt", path, **reading)  # type: ignore[arg-type]
    assert outscore.gate(path, tmp_path / "out.txt", margin=5, references=reading["references"]).passed
    assert outscore.gate(path, tmp_path / "out.txt", margin=5).look == 2
    with pytest.raises(OutscoreError, match="references other"):
        outscore.gate(path, tmp_path / "out.txt", margin=5, references=str(tmp_path / "other.txt"))


def test_clusters_and_tasks_are_stored(tmp_path: Path, write: Write) -> None:
    path = str(tmp_path / "store.json")
    options = {"metric": "accuracy", "score_column": "score"}
    outscore.gate_accept(write("base.csv", 1), path, clusters="topic", **options)  # type: ignore[arg-type]
    assert outscore.gate(path, write("new.csv", 2), margin=0.1).checks[0].n_units == 40
    tasks = str(tmp_path / "tasks.json")
    outscore.gate_accept(write("base.csv", 1), tasks, test_sets="topic", **options)  # type: ignore[arg-type]
    direct = outscore.gate(
        tmp_path / "base.csv",
        tmp_path / "new.csv",
        margin=0.4,
        test_sets="topic",
        **options,  # type: ignore[arg-type]
    )
    stored = outscore.gate(tasks, tmp_path / "new.csv", margin=0.4, alpha=0.1)
    assert stored.level == direct.level
    by_name = {check.test_set: check for check in stored.checks}
    assert by_name == {check.test_set: check for check in direct.checks}


def test_a_baseline_is_no_system_elsewhere(store: str, write: Write) -> None:
    new = write("new.csv", 2)
    for systems in ((store, new), (new, store)):
        with pytest.raises(OptionError, match="is a baseline file of a gate"):
            outscore.compare(*systems, metric="accuracy")
    with pytest.raises(OptionError, match="is a baseline file of a gate"):
        outscore.gate(store, store, margin=0.1)


def test_what_is_no_store_is_refused(tmp_path: Path, write: Write) -> None:
    table = write("base.csv", 1)
    with pytest.raises(OptionError, match="is not a baseline"):
        outscore.gate_accept(table, table, metric="accuracy", score_column="score")
    assert Path(table).read_text().startswith("id,score")
    with pytest.raises(OutscoreError, match="cannot write"):
        outscore.gate_accept(table, tmp_path / "nowhere" / "store.json", metric="accuracy", score_column="score")
    assert not (tmp_path / "nowhere").exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(st.data())
def test_a_damaged_store_is_one_line_and_stays_as_it_is(store: str, tmp_path: Path, data: st.DataObject) -> None:
    whole = Path(store).read_text()
    kind = data.draw(st.sampled_from(["cut", "key", "value"]))
    content = json.loads(whole)
    if kind == "cut":
        text = whole[: data.draw(st.integers(40, len(whole) - 3))]
    elif kind == "key":
        content.pop(data.draw(st.sampled_from(sorted(set(content) - {"schema", "looks", "commits"}))))
        text = json.dumps(content)
    else:
        key = data.draw(st.sampled_from(sorted(set(content) - {"schema"})))
        content[key] = data.draw(st.sampled_from([7, "x", [[1]], [{"spec": "y"}], [None]]))
        text = json.dumps(content)
    damaged = tmp_path / "damaged.json"
    damaged.write_text(text)
    base = tmp_path / "base.csv"
    error = None
    try:
        outscore.gate(damaged, base, margin=0.1, metric="accuracy", score_column="score")
    except OutscoreError as raised:
        error = raised
    if error is None:
        assert kind == "value"  # such as another version, or name
    else:
        assert "\n" not in str(error)
        assert damaged.read_text() == text


def test_a_store_of_a_merge_or_of_another_version_says_so(store: str, write: Write) -> None:
    whole, new = Path(store).read_text(), write("new.csv", 2)
    head, _, rest = whole.partition(' "looks"')
    for text, said in (
        (f'{head}<<<<<<< HEAD\n "looks"{rest}=======\n>>>>>>> main\n', "an unresolved merge conflict"),
        (whole.replace("gate-store/2", "gate-store/3"), "a newer version"),
        (whole[: len(whole) // 2], "Restore the file, or delete it"),
    ):
        Path(store).write_text(text)
        with pytest.raises(DataError, match=said):
            outscore.gate(store, new, margin=0.1)
        with pytest.raises(DataError, match=said):
            outscore.gate_accept(new, store, metric="accuracy", score_column="score")
        assert Path(store).read_text() == text


def test_a_store_of_version_0_7_is_read_and_written_anew(store: str, write: Write) -> None:
    new = write("new.csv", 2)
    outscore.gate(store, new, margin=0.001)
    text = Path(store).read_text()
    assert '"outcome": "inconclusive"' in text
    former = text.replace("gate-store/2", "gate-store/1").replace('"inconclusive"', '"undecided"')
    Path(store).write_text(former)
    result = outscore.gate(store, new, margin=0.001)
    assert (result.look, result.outcome) == (2, GateOutcome.INCONCLUSIVE)
    content = json.loads(Path(store).read_text())
    assert content["schema"] == "outscore/gate-store/2"
    assert [look["outcome"] for look in content["looks"]] == ["inconclusive", "inconclusive"]


def test_items_that_are_lacking_cannot_be_dropped(store: str, write: Write) -> None:
    with pytest.raises(DataError, match="Score them, or pass zero_missing=True"):
        outscore.gate(store, write("few.csv", 2, items=range(300)), margin=0.1)
    new = write("more.csv", 2)
    with Path(new).open("a") as file:
        file.write("q999,1,topic1\n")
    with pytest.raises(DataError, match="Leave out the extra items, or accept a baseline"):
        outscore.gate(store, new, margin=0.1)


def test_references_that_are_elsewhere_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"the number {place} of them\n" for place in range(120))
    for name in ("base.txt", "reference.txt"):
        Path(name).write_text(lines)
    outscore.gate_accept("base.txt", "store.json", references="reference.txt", metric="bleu")
    before = Path("store.json").read_text()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    with pytest.raises(OutscoreError) as error:
        outscore.gate("../store.json", "../base.txt", margin=1)
    assert str(error.value).startswith("reference.txt: cannot read file")
    assert "../store.json was accepted with these references. Pass references" in str(error.value)
    assert Path("../store.json").read_text() == before
    references = "../reference.txt"
    assert outscore.gate("../store.json", "../base.txt", margin=1, references=references).look == 1


def _looked_at(store: str, **changes: object) -> str:
    """Return the text of a store with one look that is changed."""
    parts = json.loads(Path(store).read_text())
    look = {"look": 1, "commit": None, "run": "", "level": 0.025, "outcome": "passed", "candidate": "c", **changes}
    return json.dumps({**parts, "looks": [look]})


def _scored(store: str, score: float, items: float = 1) -> str:
    """Return the text of a store with another first row."""
    parts = json.loads(Path(store).read_text())
    scores, counts = parts["runs"][0]["columns"][0]
    scores[0], counts[0] = score, items
    return json.dumps(parts)


def _with_commits(store: str, *names: str) -> str:
    parts = json.loads(Path(store).read_text())
    return json.dumps({**parts, "commits": [{"commit": name, "runs": parts["runs"]} for name in names]})


def _with_items_twice(store: str) -> str:
    return Path(store).read_text().replace('"q1"', '"q2"')


@pytest.mark.parametrize(
    ("edited", "message"),
    [
        (lambda store: _looked_at(store, level=-5.0), "level of check 1 from 0 to less than 1, got -5"),
        (lambda store: _looked_at(store, level=1e308), "level of check 1 from 0 to less than 1, got 1e.308"),
        (lambda store: _looked_at(store, level="0.1"), "expected a baseline written by outscore gate accept"),
        (lambda store: _looked_at(store, look=2), "checks are not numbered from 1"),
        (lambda store: _scored(store, 7), "impossible scores of accuracy: expected 0 to 1, got 7"),
        (lambda store: _scored(store, -7), "impossible scores of accuracy: .*-7"),
        (lambda store: _scored(store, 1e300), "impossible scores of accuracy: .*1e.300"),
        (lambda store: _scored(store, 2, 2), "impossible scores of accuracy: counts of items that are not 1"),
        (lambda store: _with_commits(store, "a", "b", "a"), "expected each commit once, got one twice"),
        (_with_items_twice, 'expected each item once, got "q2" twice'),
        (
            lambda store: Path(store).read_text().replace('"commit": null', '"commit": null, "commit": "a"', 1),
            'expected each key once, got "commit" twice',
        ),
    ],
)
def test_a_store_that_was_edited_is_one_line_and_stays_as_it_is(
    store: str, write: Write, edited: Callable[[str], str], message: str
) -> None:
    text = edited(store)
    Path(store).write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        outscore.gate(store, write("new.csv", 2), margin=0.1)
    (problem,) = caught.value.problems
    assert (problem.where, problem.slug) == (store, "bad-store")
    assert Path(store).read_text() == text


def test_scores_of_a_store_have_the_bound_of_all_scores(store: str, write: Write, tmp_path: Path) -> None:
    outscore.gate_accept(write("base.csv", 1), tmp_path / "mean.json", metric="mean", score_column="score")
    Path(tmp_path / "mean.json").write_text(_scored(str(tmp_path / "mean.json"), -1e150))
    with pytest.raises(DataError, match=r"expected numbers between 1e-100 and 1e100 in size, got 1e\+150"):
        outscore.gate(tmp_path / "mean.json", write("new.csv", 2), margin=0.1)


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("declared", {"runs": "bad"}),
        ("declared", {"weights": {"a": "x"}}),
        ("declared", {"weights": {"a": "1/0"}}),
        ("reading", {"metric": 5}),
        ("reading", {"metric": ["accuracy"], "references": 5}),
        ("reading", {"metric": ["accuracy"], "id_column": 5}),
    ],
)
def test_damaged_options_are_one_line(store: str, tmp_path: Path, key: str, content: object) -> None:
    Path(store).write_text(json.dumps({**json.loads(Path(store).read_text()), key: content}))
    with pytest.raises(DataError, match=r"\[bad-store\]"):
        outscore.gate(store, tmp_path / "base.csv", margin=0.1)


def test_every_option_of_reading_can_be_stored() -> None:
    known = set(StoredReading.__annotations__)
    assert known == {"metric", *(one.name for one in fields(Reading))} - {
        *("clusters", "strata", "weights", "test_sets", "collapse_strata"),  # stored with the items
        *("families", "names", "drop_missing"),
        *("human", "judge", "orders", "unpaired"),  # not of gates
        "follow_links",  # asked for each time, as the file of a baseline may be anybody's
    }


@pytest.mark.parametrize("factor", ["template", "rater"])
def test_a_candidate_is_read_with_the_crossed_factors_of_its_baseline(tmp_path: Path, factor: str) -> None:
    rng = np.random.default_rng(3)
    tables = [tmp_path / "base.csv", tmp_path / "new.csv"]
    for table in tables:
        cells = [f"q{i},{r},{t},{rng.integers(2)}" for i in range(40) for r in range(2) for t in "ab"]
        table.write_text("\n".join([f"item,run,{factor},score", *cells]) + "\n")
    options = {"run": "run", "runs": "samples", factor: factor, f"{factor}s": "fixed"}
    path = tmp_path / "crossed.json"
    outscore.gate_accept(tables[0], path, **options)  # type: ignore[arg-type]
    assert read_store(str(path)).reading == {"metric": ["mean"], **options}
    stored = outscore.gate(path, tables[1], margin=0.4)
    read = outscore.gate(*tables, margin=0.4, **options)  # type: ignore[arg-type]
    assert stored.checks[0].gain == pytest.approx(read.checks[0].gain, rel=1e-12)


def test_a_failure_to_write_leaves_the_old_looks(store: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    new, before = write("new.csv", 2), Path(store).read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutscoreError, match=r"no space left.*Every check is saved"):
        outscore.gate(store, new, margin=0.1)
    monkeypatch.undo()
    assert Path(store).read_text() == before
    assert not list(Path(store).parent.glob("*.part"))


@pytest.mark.parametrize(
    "calls",
    [
        [{"looks": 1}, {}, {"looks": 1}, {}],
        [{"looks": looks} for looks in (1, 2, 3, 4, 5)],
        [{}, {"looks": 2}, {"looks": 9}, {"looks": 1}],
        [{"error": "per-commit", "commit": "a"}, {}, {"looks": 3}],
    ],
)
def test_other_rules_spend_no_more_than_is_left(store: str, write: Write, calls: list[dict[str, object]]) -> None:
    new = write("new.csv", 2)
    results = [outscore.gate(store, new, margin=0.1, **options) for options in calls]  # type: ignore[arg-type]
    assert sum(look.level for look in read_store(store).looks) <= 0.05 * (1 + 1e-12)
    assert any("used another rule" in warning for result in results for warning in result.warnings)


def test_other_numbers_of_looks_spend_no_more_at_a_commit(store: str, write: Write) -> None:
    options = {"margin": 0.1, "error": "per-commit"}
    new = write("new.csv", 2)
    for commit in ("a", "b"):
        for looks in (3, 3, 3, 5):
            result = outscore.gate(store, new, looks=looks, commit=commit, **options)  # type: ignore[arg-type]
        assert (result.look, result.level, result.outcome) == (4, 0.0, GateOutcome.INCONCLUSIVE)
        assert "of this commit used another rule" in result.warnings[0]


def test_a_look_at_a_commit_that_is_not_known_is_one_of_its_own_and_says_so(store: str, write: Write) -> None:
    new = write("new.csv", 2)
    for look in (1, 2):
        result = outscore.gate(store, new, margin=0.1, error="per-commit")
        assert (result.look, result.level, result.total_looks) == (1, 0.05, look)
        assert "The commit is unknown" in result.warnings[-1]
    assert outscore.gate(write("old.csv", 3), new, metric="accuracy", margin=0.1, error="per-commit").level == 0.05


def test_runs_stay_with_their_items_where_the_baseline_is_accepted_in_another_order(store: str, write: Write) -> None:
    """Runs are kept in the order of the baseline's items."""
    options = {"margin": 0.1, "commit": "abc"}
    runs = [write("one.csv", 2), write("two.csv", 3)]
    copy = f"{store}.copy"
    Path(copy).write_bytes(Path(store).read_bytes())
    for path in (store, copy):
        outscore.gate(path, runs[0], **options)  # type: ignore[arg-type]
    answers = _answers(str(Path(store).with_name("base.csv")))
    again = Path(store).with_name("base.csv")
    again.write_text("id,score\n" + "".join(f"{item},{answers[item]}\n" for item in sorted(answers)))
    before = read_store(store).metrics[0].items
    outscore.gate_accept(again, store, metric="accuracy", score_column="score", same_run=True)
    assert read_store(store).metrics[0].items != before
    results = [outscore.gate(path, runs[1], **options) for path in (store, copy)]  # type: ignore[arg-type]
    assert [result.n_runs for result in results] == [2, 2]
    assert results[0].checks[0].p_pass == pytest.approx(results[1].checks[0].p_pass, rel=1e-12)
    assert results[0].checks[0].helped == results[1].checks[0].helped


def test_scores_of_an_older_baseline_are_known(store: str, write: Write, tmp_path: Path) -> None:
    """Neither the run that won nor the first baseline comes back by way of a third one."""
    options = {"metric": "accuracy", "score_column": "score"}
    new = write("new.csv", 2)
    outscore.gate(store, new, margin=0.1)
    outscore.gate_accept(write("fresh.csv", 3), store, **options)  # type: ignore[arg-type]
    for former in (new, tmp_path / "base.csv"):
        with pytest.raises(OptionError, match=r"as a candidate or as the baseline.*\[same-run\]"):
            outscore.gate_accept(former, store, **options)  # type: ignore[arg-type]
    outscore.gate_accept(new, store, same_run=True, **options)  # type: ignore[arg-type]
    assert read_store(store).looks == []


def test_several_candidates_of_one_commit_are_called_so(store: str, write: Write) -> None:
    options = {"margin": 0.1, "commit": "abc"}
    large = outscore.gate(store, write("large.csv", 2), **options)  # type: ignore[arg-type]
    again = outscore.gate(store, write("large.csv", 3), **options)  # type: ignore[arg-type]
    small = outscore.gate(store, write("small.csv", 4, 0.3), **options)  # type: ignore[arg-type]
    assert (large.warnings, again.n_runs, again.warnings) == ((), 2, ())
    assert small.n_runs == 3
    assert small.warnings[0].startswith('The averaged runs of this commit have different names: "large", "small". ')


def test_none_agrees_with_a_baseline_without_labels(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frames = [
        pd.DataFrame({"id": range(60), "doc": np.arange(60) // 3, "score": rng.integers(0, 2, 60)}) for _ in range(2)
    ]
    plain, labelled = str(tmp_path / "plain.json"), str(tmp_path / "labelled.json")
    outscore.gate_accept(frames[0], plain, clusters="none", strata="None")
    outscore.gate_accept(frames[0], labelled, clusters="doc")
    assert outscore.gate(plain, frames[1], margin=0.9, clusters="none", strata="none").outcome == "passed"
    with pytest.raises(OptionError, match="clusters: applies only when a baseline is accepted"):
        outscore.gate(labelled, frames[1], margin=0.9, clusters="none")


def test_no_lock_file_is_left_behind(store: str, write: Write, tmp_path: Path) -> None:
    outscore.gate(store, write("new.csv", 2), margin=0.5, score_column="score")
    with pytest.raises(DataError):
        outscore.gate(store, write("other.csv", 2, items=range(3)), margin=0.5, score_column="score")
    (tmp_path / "bad.json").write_text('{"schema": "outscore/store/1"')
    with pytest.raises(OutscoreError):
        outscore.gate(str(tmp_path / "bad.json"), write("new.csv", 2), margin=0.5)
    assert not [*tmp_path.glob("*.lock")]


@pytest.mark.skipif(sys.platform == "win32", reason="another lock is used there")
def test_removing_the_lock_file_lets_nobody_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Between reading and writing another thread runs, so a second holder of the lock would lose an increment.
    monkeypatch.setattr("outscore.wings.gating.stores._SECONDS_BETWEEN_TRIES", 0.0)
    counter = tmp_path / "counter"
    counter.write_text("0")

    def count() -> None:
        for _ in range(50):
            with locked(str(counter)):
                number = int(counter.read_text())
                time.sleep(0)
                counter.write_text(str(number + 1))

    threads = [threading.Thread(target=count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text() == "300"
    assert [path.name for path in tmp_path.iterdir()] == ["counter"]


@pytest.mark.skipif(sys.platform == "win32", reason="another lock is used there")
def test_a_lock_that_stays_is_an_error(store: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.wings.gating.stores._SECONDS_TO_WAIT", 0.1)
    with locked(store), pytest.raises(FileAccessError, match="another process has held the lock"):
        outscore.gate(store, write("new.csv", 2), margin=0.5, score_column="score")
