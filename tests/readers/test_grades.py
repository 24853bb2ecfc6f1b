"""Words such as pass and fail are scores, in tables, arrays and streams, if a column has nothing else."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.gating.kit import StreamedItems
from tests.kit import Note

import outscore
from outscore.errors import DataError

RIGHT = [True, True, False, True, False, False, True, False] * 3
PAIRS = [("pass", "fail"), ("PASSED", "failed"), ("Yes", "No"), ("correct", "INCORRECT"), ("true", "FALSE"), ("C", "i")]


def words_of(pair: tuple[str, str], right: list[bool]) -> list[str]:
    return [pair[0] if one else pair[1] for one in right]


def note_on(*words: str) -> str:
    return f"Words were read as scores: {', '.join(words)}."


@pytest.mark.parametrize("pair", PAIRS)
def test_words_in_tables_give_the_result_of_numbers(pair: tuple[str, str], tmp_path: Path) -> None:
    other = [not RIGHT[0], *RIGHT[1:]]
    expected = outscore.compare(np.array(RIGHT, dtype=float), np.array(other, dtype=float)).p_value
    for place, right in enumerate((RIGHT, other)):
        cells = words_of(pair, right)
        pd.DataFrame({"id": range(24), "outcome": cells}).to_csv(tmp_path / f"{place}.csv", index=False)
        (tmp_path / f"{place}.txt").write_text("\n".join(cells) + "\n")
        (tmp_path / f"bare{place}.csv").write_text("\n".join(cells) + "\n")
        records = [json.dumps({"id": at, "score": cell}) for at, cell in enumerate(cells)]
        (tmp_path / f"{place}.jsonl").write_text("\n".join(records))
    for name in ("{}.csv", "{}.txt", "bare{}.csv", "{}.jsonl"):
        result = outscore.compare(*(str(tmp_path / name.format(place)) for place in (0, 1)))
        assert result.p_value == expected
        assert sum("read as scores" in note for note in result.warnings) == 1


@pytest.mark.parametrize(
    "kind", [list, np.array, pd.Series, pl.Series, lambda cells: {f"q{at}": cell for at, cell in enumerate(cells)}]
)
def test_words_in_memory(kind: Callable[[list[str]], object]) -> None:
    result = outscore.compare(kind(words_of(("pass", "fail"), RIGHT)), kind(["pass"] * 24))
    assert (result.comparisons[0].helped, result.comparisons[0].hurt) == (12, 0)
    [note] = (note for note in result.warnings if note == note_on("pass = 1", "fail = 0"))
    assert isinstance(note, Note)


def test_letters_of_inspect_have_partial_grades() -> None:
    scores = outscore.score(["C", "I", "P", "N", "C", "C"] * 2).scores[0]
    assert scores.score == pytest.approx(3.5 / 6)
    assert outscore.score([True, False] * 5).warnings == ()


@pytest.mark.parametrize("labels", ["PN", "CCNNE"])  # of sentiment, and of entailment
def test_other_labels_are_no_grades(labels: str) -> None:
    with pytest.raises(DataError, match="no column of numbers"):
        outscore.score(pd.DataFrame({"id": range(10), "label": [*labels] * (10 // len(labels))}))


def test_numbers_come_before_words_that_describe_items(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,has_image,quality\n" + "".join(f"{at},{'yes' if at % 3 else 'no'},{at}\n" for at in range(10)))
    result = outscore.score(str(path))
    assert result.scores[0].score == 4.5
    assert 'Scores are the column "quality", not "has_image"' in result.warnings[0]
    result = outscore.score(f"{path}:has_image")
    assert result.scores[0].score == 0.6


def test_systems_of_a_wide_table_have_words(tmp_path: Path) -> None:
    frame = pd.DataFrame({"item": range(24), "a": words_of(("pass", "fail"), RIGHT), "b": "pass", "cost": range(24)})
    ranking = outscore.rank(frame)
    assert [(entry.name, entry.score) for entry in ranking.systems] == [("b", 1.0), ("a", 0.5)]
    assert any('"cost"' in note and "left out" in note for note in ranking.warnings)
    assert note_on("pass = 1", "fail = 0") in ranking.warnings
    assert [entry.name for entry in outscore.rank(frame.assign(d=1.5)).systems] == ["d", "cost"][::-1]


@pytest.mark.parametrize(
    ("cells", "place", "expected"),
    [
        (["pass", "fail", "0.5", "pass"], ":4: ", 'expected pass or fail, as in most cells, got "0.5"'),
        (["pass", "fail", "no", "pass"], ":4: ", 'expected pass or fail, as in most cells, got "no"'),
        (["1", "0", "true", "1"], ":4: ", 'expected a number, got "true"'),
        (["C", "I", "A", "P"], ":4: ", 'expected C, P, I or N, as in most cells, got "A"'),
    ],
)
def test_mixed_columns_are_an_error_that_names_the_cell(
    cells: list[str], place: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("id,score\n" + "".join(f"q{at},{cell}\n" for at, cell in enumerate(cells)))
    with pytest.raises(DataError, match=re.escape(expected)) as error:
        outscore.score(str(path))
    assert len(error.value.problems) == 1
    assert f"mixed.csv{place}" in str(error.value)


def test_a_word_of_another_pair_in_memory() -> None:
    with pytest.raises(DataError, match=r'system\[2\]: expected pass or fail, as in most cells, got "no"'):
        outscore.score(["pass", "fail", "no", "pass"])


def test_missing_words_are_dropped_or_zero(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,score\n" + "q1,pass\nq2,\nq3,fail\nq4,NA\n")
    assert outscore.score(str(path), drop_missing=True).scores[0].score == 0.5
    assert outscore.score(["pass", None, "fail", "pass"], drop_missing=True).scores[0].score == pytest.approx(2 / 3)


def test_a_header_may_be_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("correct\n1\n0\n1\n1\n")
    assert outscore.score(str(path)).scores[0].score == 0.75


def test_streams_of_words() -> None:
    lines = [b'{"id": "a", "score": "C"}\n', b'{"id": "b", "score": "P"}\n', b'{"id": "c", "score": "A"}\n']
    stream = iter(StreamedItems(io.BytesIO(b"".join(lines)), [outscore.Mean()]))
    assert [next(stream)[2]["mean"] for _ in range(2)] == [1.0, 0.5]
    with pytest.raises(DataError, match='expected C, P, I or N, as in the first item, got "A"'):
        next(stream)
