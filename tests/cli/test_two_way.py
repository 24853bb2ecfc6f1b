"""Two crossed clusterings on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.running import Runner
from tests.significance.test_two_way import crossed


def test_columns_of_files(tmp_path: Path, outscore: Runner) -> None:
    one, other, document, annotator = crossed()
    path = tmp_path / "scores.csv"
    rows = zip(range(48), document, annotator, one, other, strict=True)
    path.write_text("\n".join(["item,doc,who,old,new", *(",".join(map(str, row)) for row in rows)]))
    for systems in (f"{path}:old {path}:new", f"{path} --baseline old"):
        shown = outscore("compare", *systems.split(), "--cluster", "doc", "--cluster", "who", "-t", "two-way-t")
        assert shown.status == 0, shown.err
        assert "t-test over two crossed clusterings" in " ".join(shown.out.split())
    refused = outscore("compare", f"{path}:old", f"{path}:new", *("--cluster", "doc") * 3)
    assert "expected one clustering or two crossed ones, got 3" in refused.err
