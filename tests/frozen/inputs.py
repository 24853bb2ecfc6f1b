"""Small files of every kind that commands and calls read, the same on every machine."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.frozen import factors
from tests.frozen.drawn import Draws, write

N, SYSTEMS = 32, 8
WORDS = ("the", "cat", "sat", "on", "a", "mat", "dogs", "bark", "at", "night")
TEXTS = ("gold", "one", "two", "three")
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def prepare(folder: Path) -> None:
    """Write all files into a folder; those of kept rows are written by `keep`, in that folder."""
    tables(folder)
    sides(folder)
    counts(folder)
    families(folder)
    outputs(folder)
    boards(folder)
    labelled(folder)
    mistakes(folder)
    people(folder)
    factors.prepare(folder)
    judged(folder)


def labelled(folder: Path) -> None:
    """Two systems with a judge's labels of 80 items and human labels of every fourth."""
    draws, lines = Draws(7), ["system,item,document,human,judge"]
    for system in range(2):
        for item in range(80):
            quality = round(draws.bump() + system / 2, 2)
            human = "" if item % 4 else str(quality)
            lines.append(f"s{system},q{item},t{item // 4},{human},{round(10 * (quality + draws.bump()), 1)}")
    write(folder / "labelled.csv", lines)


def keep(outscore: Callable[[str], object]) -> None:
    """Keep rows of some systems, by the command itself."""
    systems = "one.txt two.txt three.txt -r gold.txt"
    outscore(f"rows {systems} -m bleu -m chrf -m ter -o kept/ -q")
    outscore("rows two.txt -r three.txt -m bleu -o kept/other-reference.npz -q")
    outscore("rows one.lab two.lab -r gold.lab -m macro-f1 -o kept/ -q")
    outscore("rows three.lab -r gold.lab -m macro-f1 -o kept/other-labels.npz -q")


def people(folder: Path) -> None:
    """Copy the examples of human scores, of metrics and of a judge."""
    for name in ("human/esa.csv", "designs/preferences.csv"):
        shutil.copy(EXAMPLES / name, folder)
    for name in ("human-scores", "metric-scores", "documents"):
        shutil.copytree(EXAMPLES / "meta" / name, folder / name)


def table(path: Path, systems: Sequence[Sequence[object]], n: int = N) -> None:
    rows = [",".join(["item", "document", "domain", *(f"s{i}" for i in range(len(systems)))])]
    rows += [",".join([f"q{j}", f"t{j // 4}", f"d{j % 2}", *(str(scores[j]) for scores in systems)]) for j in range(n)]
    write(path, rows)


def tables(folder: Path) -> None:
    """Wide tables, one column a system; boards of studies among them."""
    draws = Draws(1)
    hard = [draws.bump() for _ in range(N)]
    right = [[int(draws.bump() + 0.8 * i / SYSTEMS > h) for h in hard] for i in range(SYSTEMS)]
    table(folder / "right.csv", right)
    table(folder / "half.csv", right, N // 2)
    table(folder / "alike.csv", [right[0], [1 - x for x in right[0]]] * 2)
    table(folder / "real.csv", [[round(draws.bump() + i / 10, 1) for _ in range(N)] for i in range(4)])
    table(folder / "shifted.csv", [list(range(N)), [x + 1.0 for x in range(N)]])
    long: list[dict[str, object]] = [
        {"system": f"s{i}", "item": f"q{j}", "score": right[i][j], "family": f"f{i % 2}", "cluster": f"c{j // 3}"}
        for i in (1, 4, 7)
        for j in range(18)
    ]
    write(folder / "long.csv", [",".join(long[0]), *(",".join(map(str, row.values())) for row in long)])
    write(folder / "long.tsv", ["\t".join(long[0]), *("\t".join(map(str, row.values())) for row in long)])
    write(folder / "long.jsonl", map(json.dumps, long))


def judged(folder: Path) -> None:
    """Preferences of two judges in both orders, twice, and verdicts on two systems."""
    draws = Draws(9)
    rows, answers = ["prompt_id,judge,order,run,verdict,human"], ["item,judge,system,verdict,human"]
    for item in range(20):
        human = "AB"[int(draws.share() < 0.4)]
        for judge, luck, pull in (("large", 0.1, 0.1), ("small", 0.3, 0.4)):
            for order in ("AB", "BA"):
                for run in (1, 2):
                    verdict = "BA"["AB".index(human)] if draws.share() < luck else human
                    verdict = order[0] if draws.share() < pull else verdict
                    rows.append(f"p{item},{judge},{order},{run},{verdict},{human}")
            for system, wrong in (("old", 0.3), ("new", 0.05)):
                right = int((item + (system == "new")) % 3 > 0)
                answers.append(f"q{item},{judge},{system},{int((draws.share() < wrong) != right)},{right}")
    write(folder / "judged.csv", rows)
    write(folder / "answers.csv", answers)


def sides(folder: Path) -> None:
    """One system a file, in every format of tables; `base` and `new` are the same systems everywhere."""
    draws = Draws(2)
    (folder / "runs").mkdir()
    ids = [f"q{j}" for j in range(24)]
    for name, chance in (("base", 0.4), ("new", 0.7), ("third", 0.6)):
        scores = [int(draws.share() < chance) for _ in ids]
        write(folder / f"{name}.txt", scores)
        write(folder / "runs" / f"{name}.txt", scores)
        order = ids if name == "base" else ids[5:] + ids[:5]
        by_id = dict(zip(ids, scores, strict=True))
        rows = [(i, by_id[i], f"doc{ids.index(i) // 2}", "news" if ids.index(i) % 3 else "web") for i in order]
        write(folder / f"{name}.csv", ["id,score,doc,domain", *(",".join(map(str, row)) for row in rows)])
        write(folder / f"{name}.tsv", ["id\tscore\tdoc", *("\t".join(map(str, row[:3])) for row in rows)])
        write(folder / f"{name}.jsonl", (json.dumps({"id": i, "score": by_id[i], "doc": doc}) for i, _, doc, _ in rows))
        text = (folder / f"{name}.csv").read_bytes()
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text, mtime=0))
        write(folder / f"{name}.real", [round(draws.bump() + chance, 1) for _ in ids])
    write(folder / "few.csv", ["id,score", *(f"q{j},{j % 2}" for j in range(20))])
    write(folder / "documents.txt", [f"doc{j // 2}" for j in range(24)])
    write(folder / "domains.txt", ["news" if j % 3 else "web" for j in range(24)])
    write(folder / "halves.txt", ["first" if j < 14 else "second" for j in range(24)])
    write(folder / "lonely.txt", ["news" if j else "web" for j in range(24)])
    write(folder / "labels.tsv", ["id\tdoc", *(f"q{j}\tdoc{j // 2}" for j in range(24))])
    try:
        import polars as pl
    except ImportError:
        return
    for name in ("base", "new"):
        pl.read_csv(folder / f"{name}.csv").write_parquet(folder / f"{name}.parquet")


def counts(folder: Path) -> None:
    """Tables whose metrics are ratios of sums."""
    draws = Draws(3)
    for name, chance in (("old", 0.5), ("better", 0.8)):
        rows = ["id,tp,predicted,gold"]
        ratio, losses = ["id,numerator,denominator"], ["id,log_loss,tokens,bytes"]
        for j in range(20):
            gold = 1 + draws.whole(3)
            tp = sum(draws.share() < chance for _ in range(gold))
            rows.append(f"q{j},{tp},{tp + draws.whole(2)},{gold}")
            ratio.append(f"q{j},{draws.whole(4)},{1 + draws.whole(3)}")
            losses.append(f"q{j},{round(20 + 4 * draws.bump() - 4 * chance, 2)},{8 + j % 4},{40 + 3 * j}")
        write(folder / f"{name}.counts.csv", rows)
        write(folder / f"{name}.ratio.csv", ratio)
        write(folder / f"{name}.loss.csv", losses)


def families(folder: Path) -> None:
    marks = [f"s{i}\tf{i % 4}\t{'combination' if i == 5 else ''}" for i in range(SYSTEMS)]
    write(folder / "systems.tsv", ["system\tgroup\tkind", *marks])
    write(folder / "some.tsv", ["system\tgroup", *(f"s{i}\tf{i % 2 or ''}" for i in range(SYSTEMS))])


def outputs(folder: Path) -> None:
    """Outputs and references of every task; `gold` is the reference, `one`, `two` and `three` are systems."""
    draws = Draws(4)
    gold: dict[str, Any] = {}
    for name, chance in zip(TEXTS, (0.0, 0.4, 0.25, 0.3), strict=True):
        _texts(folder, draws, name, chance, gold)
        _labels(folder, draws, name, chance, gold)
        _structures(folder, draws, name, chance, gold)
        _documents(folder, draws, name, chance, gold)
    write(folder / "gold2.txt", [" ".join(reversed(line.split())) for line in gold["texts"]])
    write(folder / "source.txt", [line.upper() for line in gold["texts"]])
    write(folder / "speakers.txt", [f"speaker{j // 3}" for j in range(24)])


def _texts(folder: Path, draws: Draws, name: str, chance: float, gold: dict[str, Any]) -> None:
    if name == "gold":
        gold["texts"] = [" ".join(draws.one(WORDS) for _ in range(5 + draws.whole(4))) for _ in range(24)]
    lines = [
        " ".join(draws.one(WORDS) if draws.share() < chance else word for word in line.split())
        for line in gold["texts"]
    ]
    write(folder / f"{name}.txt", lines)
    write(folder / f"{name}.trn", (f"{line} (u{j})" for j, line in enumerate(lines)))
    write(folder / f"{name}.kaldi", (f"u{j} {line}" for j, line in enumerate(lines)))
    write(folder / f"{name}.said.jsonl", (json.dumps({"id": f"u{j}", "text": x}) for j, x in enumerate(lines)))


def _labels(folder: Path, draws: Draws, name: str, chance: float, gold: dict[str, Any]) -> None:
    labels, numbers = ("pos", "neg", "neutral"), [float(j % 7) for j in range(24)]
    if name == "gold":
        gold["labels"] = [draws.one(labels) for _ in range(24)]
    said = [draws.one(labels) if draws.share() < chance else label for label in gold["labels"]]
    write(folder / f"{name}.lab", said)
    write(folder / f"{name}.labels.csv", ["id,label", *(f"q{j},{label}" for j, label in enumerate(said))])
    write(folder / f"{name}.labels.jsonl", (json.dumps({"id": f"q{j}", "label": x}) for j, x in enumerate(said)))
    numbers = [round(x + 4 * chance * draws.bump(), 1) for x in numbers]
    write(folder / f"{name}.num", numbers)
    write(folder / f"{name}.numbers.csv", ["id,score", *(f"q{j},{x}" for j, x in enumerate(numbers))])


def _structures(folder: Path, draws: Draws, name: str, chance: float, gold: dict[str, Any]) -> None:
    if name == "gold":
        gold["tags"] = [[draws.one(("O", "B-PER", "B-LOC")) for _ in range(5)] for _ in range(10)]
        gold["heads"] = [[(j, draws.one(("nsubj", "obj", "det"))) for j in (2, 0, 2, 3)] for _ in range(10)]
        gold["links"] = [[(j, j) for j in range(4)] for _ in range(10)]
    tags = [[draws.one(("O", "B-PER")) if draws.share() < chance else t for t in line] for line in gold["tags"]]
    write(folder / f"{name}.bio", ("".join(f"w{j}\t{tag}\n" for j, tag in enumerate(line)) for line in tags))
    spans = [[[j, j + 1, tag[2:]] for j, tag in enumerate(line) if tag != "O"] for line in tags]
    records = [{"id": f"s{j}", "tokens": [f"w{k}" for k in range(5)], "spans": s} for j, s in enumerate(spans)]
    write(folder / f"{name}.spans.jsonl", map(json.dumps, records))
    trees = []
    for heads in gold["heads"]:
        lines = []
        for j, (head, label) in enumerate(heads, 1):
            moved = draws.share() < chance and head not in (0, 2)
            held, kind = (2 if moved else head), ("dep" if draws.share() < chance else label)
            kind = "root" if head == 0 else kind
            lines.append(f"{j}\tw{j}\t_\tNOUN\t_\t_\t{held}\t{kind}\t_\t_\n")
        trees.append("".join(lines))
    write(folder / f"{name}.conllu", trees)
    write(folder / f"{name}.conllx", trees)
    links = [[(a, (b + 1) % 4 if draws.share() < chance else b) for a, b in pairs] for pairs in gold["links"]]
    write(folder / f"{name}.pharaoh", (" ".join(f"{a}-{b}" for a, b in line) for line in links))
    write(folder / f"{name}.naacl", (f"{j} {a + 1} {b + 1}" for j, line in enumerate(links, 1) for a, b in line))
    shapes = (
        "(S (NP (D a) (N b)) (VP (V c) (N d)))",
        "(S (NP (D a) (N b)) (V c) (N d))",
        "(S (D a) (N b) (V c) (N d))",
    )
    write(folder / f"{name}.mrg", (draws.one(shapes[1:]) if draws.share() < chance else shapes[0] for _ in range(10)))


def _documents(folder: Path, draws: Draws, name: str, chance: float, gold: dict[str, Any]) -> None:
    answers = [WORDS[(7 * j) % 10] + " " + WORDS[j % 10] for j in range(12)]
    said = [draws.one(WORDS) if draws.share() < chance else answer for answer in answers]
    write(folder / f"{name}.answers.tsv", ["id\tanswer", *(f"q{j}\t{answer}" for j, answer in enumerate(said))])
    if name == "gold":
        qas = [
            {"id": f"q{j}", "question": "?", "answers": [{"text": a, "answer_start": 0}]} for j, a in enumerate(said)
        ]
        squad = {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": qas}]}]}
        (folder / "gold.squad.json").write_text(json.dumps(squad))
        gold["relevant"] = [sorted({draws.whole(8) for _ in range(3)}) for _ in range(10)]
        write(folder / "gold.qrels", (f"q{j} 0 d{d} {1 + d % 2}" for j, ds in enumerate(gold["relevant"]) for d in ds))
        return
    (folder / f"{name}.squad.json").write_text(json.dumps({f"q{j}": answer for j, answer in enumerate(said)}))
    lines = []
    for j, relevant in enumerate(gold["relevant"]):
        strength = [(draws.share() + (0.5 - chance if d in relevant else 0), d) for d in range(8)]
        ranked = sorted(strength, reverse=True)[:6]
        lines += [f"q{j} Q0 d{d} {k} {round(s, 3)} {name}" for k, (s, d) in enumerate(ranked, 1)]
    write(folder / f"{name}.run", lines)


def boards(folder: Path) -> None:
    """Boards (TOML): of scores, of outputs, of columns, with one metric and several."""
    scores = "".join(f'[[systems]]\nname = "{n}"\nfile = "{n}.csv"\nfamily = "f"\n' for n in ("base", "new", "third"))
    (folder / "board.toml").write_text('metrics = ["accuracy", "mean"]\nclusters = "doc"\n' + scores)
    (folder / "parts.toml").write_text('metrics = "accuracy"\nstrata = "domain"\n' + scores)
    columns = "".join(f'[[systems]]\nname = "{i}"\nfile = "real.csv:s{i}"\n' for i in range(4))
    (folder / "errors.toml").write_text("lower_is_better = true\n" + columns)
    for name, n in (("texts", 24), ("fewer", 6)):
        systems = []
        for system in TEXTS:
            write(folder / f"{name}-{system}.out", (folder / f"{system}.txt").read_text().splitlines()[:n])
            systems.append(f'[[systems]]\nname = "{system}"\nfile = "{name}-{system}.out"\n')
        head = f'metrics = "bleu"\nreferences = "{name}-gold.out"\n'
        (folder / f"{name}.toml").write_text(head + "".join(systems[1:]))


def mistakes(folder: Path) -> None:
    """Files that cannot be read, or do not fit others."""
    (folder / "empty.txt").write_text("")
    write(folder / "short.txt", [1, 0, 1])
    write(folder / "single.txt", [1])
    write(folder / "words.txt", ["1", "x", *["0"] * 20, "y", "n/a"])
    write(folder / "nan.txt", ["1", "nan", *["0"] * 22])
    write(folder / "graded.txt", [0.5] * 24)
    write(folder / "twice.csv", ["id,score", "q0,1", "q1,0", "q0,1"])
    write(folder / "others.csv", ["id,score", "x0,1", "x1,0", "x2,1"])
    write(folder / "ragged.csv", ["id,score", "q0,1", "q1,0,7", "q2,1"])
    write(folder / "negative.csv", ["id,tp,predicted,gold", "q0,-1,2,2", "q1,1.5,2,2"])
    write(folder / "large.csv", ["id,tp,predicted,gold", "q0,3,2,4", "q1,1,2,2"])
    write(folder / "broken.jsonl", ['{"id": 1}', '{"id": ', "[1]"])
    (folder / "binary.txt").write_bytes(b"\x7fELF\x00\x01\x02\x00")
    (folder / "latin.txt").write_bytes(b"1\n0\n\xff\n1\n")
    (folder / "not.npz").write_bytes(b"PK\x03\x04 no rows")
    write(folder / "bad.mrg", ["(S (A a))", "(S (A a)"])
    write(folder / "bad.conllu", ["1\tA\t_\tX\t_\t_\t7\tdet\t_\t_", ""])
    write(folder / "bad.pharaoh", ["0-0", "1:1"])
    write(folder / "bad.qrels", ["q1 0 d1"])
    write(folder / "bad.trn", ["no id here"])
    write(folder / "bad.spans.jsonl", ['{"id": "s0", "tokens": ["a"], "spans": [[0, 9, "X"]]}'])
    (folder / "mixed").mkdir()
    for name in ("base", "new", "third"):
        write(folder / "mixed" / f"{name}.txt", (folder / f"{name}.txt").read_text().splitlines())
    write(folder / "mixed" / "words.txt", ["1", "x"])
    write(folder / "mixed" / "short.txt", [1, 0])
    (folder / "none").mkdir()
    for name, text in {
        "syntax": "metrics = [",
        "key": "metric = 'bleu'\n[[systems]]\nfile = 'base.csv'",
        "systems": "metrics = 'mean'",
        "absent": "[[systems]]\nfile = 'absent.csv'\n[[systems]]\nfile = 'gone.csv'",
        "type": "[[systems]]\nfile = 3",
    }.items():
        (folder / f"bad-{name}.toml").write_text(text)
