"""The data files of docs/calibration, which measuring scripts write, and the tables that pages make of them.

A script writes all it measured with `write`. A page shows a few of these figures between two marks, and `renew` writes
them there from the files:

    python benchmarks/figures.py    # writes the tables of docs/gate-measured.md and docs/human-measured.md again
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "calibration"
Row = Mapping[str, str]


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]], folder: Path = FOLDER) -> None:
    """Write a CSV file of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def read(name: str) -> list[Row]:
    """Return the rows of a CSV file, by the names of their columns."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def pivoted(rows: Iterable[Row], line: Sequence[str], column: str, value: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Return values by line and column, both in the order of the rows."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in line), {})[row[column]] = row[value]
    return found


# Gates.


def gate_errors() -> str:
    """Return how often gates are wrong over many commits."""
    rows = [row for row in read("gate-histories") if row["part"] == "errors"]
    lines = pivoted(rows, ("rule", "event"), "items", "percent")
    sizes = list(dict.fromkeys(row["items"] for row in rows))
    return table(
        ["rule", "error", *(f"n = {int(n):,}" for n in sizes)],
        ([*line, *(cells[n] for n in sizes)] for line, cells in lines.items() if "any of" in line[1]),
    )


_CHECKS = {
    "default": ("check 1", "check 5", "check 20", "any of checks 26 to 50"),
    "`--looks 50`": ("any check", "any of checks 26 to 50"),
    "`--error per-commit`": ("any check", "any of checks 26 to 50"),
}


def gate_power() -> str:
    """Return how often gates are right, with 2,000 items."""
    rows = [row for row in read("gate-histories") if row["part"] == "power" and row["items"] == "2000"]
    found = {(row["rule"], row["event"], row["check"]): row["percent"] for row in rows}
    events = ("equal passes", "3 points fail", "6 points fail")
    return table(
        ["rule", "check", *events],
        (
            [rule, check, *(found.get((rule, event, check), "") for event in events)]
            for rule, checks in _CHECKS.items()
            for check in checks
        ),
    )


_EARLY = (("500", "10", "5"), ("1000", "20", "4"), ("2000", "10", "3"), ("2000", "30", "3"), ("5000", "10", "2"))


def gate_sequential() -> str:
    """Return how often sequential gates pass, and after how many items."""
    rows = read("gate-sequential")
    lines = []
    for design in _EARLY:
        by_loss = {
            row["loss"]: row for row in rows if (row["items"], row["differ_percent"], row["margin_points"]) == design
        }
        equal, lost = by_loss["0"], by_loss[design[2]]
        lines.append(
            [
                f"{int(design[0]):,}",
                f"{design[1]}%",
                design[2],
                f"{equal['sequential']} / {equal['one_check']}",
                f"{int(equal['items_used']):,}",
                f"{lost['sequential']} / {lost['one_check']}",
            ]
        )
    return table(
        ["items", "differ", "margin", "equal: `--sequential` / one check", "items used", "margin lost: the same"], lines
    )


def gate_early() -> str:
    """Return how often early decisions are wrong, of a sequential gate and of z-tests."""
    shown = (
        "passing, loss of the margin: 4% wins, 7% losses",
        "no wins, 3% losses",
        "small gains, 5% lose a whole point",
        "sorted by topic, in file order",
        "sorted by topic, in random order",
        "power of passing, equal: 5% wins, 5% losses",
    )
    rows = {row["population"]: row for row in read("gate-early")}
    tests = ("sequential", "z_20_checks", "z_20_checks_corrected", "z_once")
    return table(
        ["items", "`--sequential`", "z, 20 checks", "z, 20 checks at α/20", "z, all items once"],
        ([name, *(rows[name][test] for test in tests)] for name in shown),
    )


# Judges and people.


def judges_coverage() -> str:
    """Return the coverage of intervals of agreement, of the hardest cells and of usual ones."""
    shown = (
        ("2 equal", "0.15", "15"),
        ("2, 90:10", "0.02", "15"),
        ("4, 85:5:5:5", "0.15", "15"),
        ("4, 85:5:5:5", "0.02", "100"),
        ("ratings 1 to 5", "0.8", "15"),
        ("ratings 1 to 5", "0.8", "100"),
    )
    rows = {(row["labels"], row["e"], row["items"]): row for row in read("judges-coverage")}
    columns = ("kappa", "AC1", "Fleiss", "α nominal", "α ordinal", "α interval", "bootstrap, kappa")
    return table(
        ["labels", "e", "items", *columns], ([*cell, *(rows[cell][column] for column in columns)] for cell in shown)
    )


def judges_nulls() -> str:
    """Return the error rates of tests of judges."""
    rows = read("judges-nulls")
    return table(list(rows[0]), ([*row.values()] for row in rows))


def few_human_labels() -> str:
    """Return the error rates of prediction-powered tests, of the populations with the largest and of one usual one."""
    shown = ("normal, ρ = .95", "lognormal, judge of logarithms", "normal noise, lognormal judge", "75% ties")
    sizes = (("15", "750"), ("20", "1000"), ("30", "1500"), ("50", "2500"))
    found = {
        (row["design"], row["population"], row["labelled"], row["other"]): row["percent"]
        for row in read("few-human-labels")
    }
    return table(
        ["differences, judge", *(f"{n} + {int(other):,}" for n, other in sizes), "15, people only"],
        (
            [
                name,
                *(found["items", name, *size] for size in sizes),
                found["human labels only", name, "15", "0"],
            ]
            for name in shown
        ),
    )


def human_scores() -> str:
    """Return the error rates of rankings of human scores."""
    rows = read("human-scores")
    return table(list(rows[0]), ([*row.values()] for row in rows))


def meta() -> str:
    """Return the largest and the least error rates of each statistic."""
    rows: dict[str, list[Row]] = {}
    for row in read("meta"):
        rows.setdefault(row["statistic"], []).append(row)

    def span(of: list[Row], level: str) -> str:
        rates = sorted(float(row[level]) for row in of)
        return f"{rates[0]:.1f} to {rates[-1]:.1f}"

    return table(
        ["statistic", "at 5%", "at 1%", "data sets"],
        (
            [f"`{name}`", span(of, "at_5"), span(of, "at_1"), f"6 × {int(of[0]['data_sets']):,}"]
            for name, of in rows.items()
        ),
    )


TABLES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "gate-measured.md": {
        "gate-histories, errors": gate_errors,
        "gate-histories, power": gate_power,
        "gate-sequential": gate_sequential,
        "gate-early": gate_early,
    },
    "human-measured.md": {
        "human-scores": human_scores,
        "few-human-labels": few_human_labels,
        "judges-coverage": judges_coverage,
        "judges-nulls": judges_nulls,
        "meta": meta,
    },
}


def renewed(page: str, tables: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with its tables written again."""
    for mark, made in tables.items():
        begin = f"<!-- {mark} -->\n"
        top, found, rest = page.partition(begin)
        if not found:
            raise ValueError(f"{mark}: no place")
        page = f"{top}{begin}{made()}\n{rest[rest.index('<!-- end -->') :]}"
    return page


def renew() -> None:
    """Write the tables of all pages again."""
    for name, tables in TABLES.items():
        path = DOCS / name
        path.write_text(renewed(path.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    renew()
