"""Make scores of people and of four metrics, as mt-metrics-eval keeps them, and verdicts of two judges.

Two language pairs, five systems, 60 segments in 15 documents. People count errors, so that many translations tie. Two
metrics share most of their errors, one is coarse, and one is noise. Two judges score 150 pairs of answers, of which
people chose one.
"""

from pathlib import Path

import numpy as np

SYSTEMS = {"atlas": 0.9, "birch": 0.7, "cedar": 0.5, "dune": 0.2, "ember": 0.0}
DOCUMENTS, LENGTH = 15, 4
JUDGES = {"large": 1.2, "small": 0.5}


def write(path: Path, lines: list[str]) -> None:
    """Write lines into a file beside this one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def language_pair(root: Path, pair: str, rng: np.random.Generator) -> None:
    """Write the scores of a language pair."""
    n = DOCUMENTS * LENGTH
    document = np.repeat(rng.normal(size=(len(SYSTEMS), DOCUMENTS)), LENGTH, axis=1)
    quality = np.array(list(SYSTEMS.values()))[:, None] + 0.6 * document + rng.normal(size=(len(SYSTEMS), n))
    human = -np.maximum(0, np.round(2 - 1.5 * quality + 0.5 * rng.normal(size=quality.shape)))
    shared = rng.normal(size=quality.shape)
    metrics = {
        "north-refA": quality + 0.6 * shared + 0.2 * rng.normal(size=quality.shape),
        "south-refA": quality + 0.6 * shared + 0.5 * rng.normal(size=quality.shape),
        "coarse-src": np.round(quality + 0.9 * rng.normal(size=quality.shape)),
        "noise-src": rng.normal(size=quality.shape),
    }
    lines = [f"{name}\t{score:g}" for name, row in zip(SYSTEMS, human, strict=True) for score in row]
    write(root / "human-scores" / f"{pair}.mqm.seg.score", lines)
    for metric, scores in metrics.items():
        lines = [f"{name}\t{score:.4g}" for name, row in zip(SYSTEMS, scores, strict=True) for score in row]
        write(root / "metric-scores" / pair / f"{metric}.seg.score", lines)
    names = [f"news\t{pair}-{place // LENGTH + 1:02}" for place in range(n)]
    write(root / "documents" / f"{pair}.docs", names)


def judges(root: Path, rng: np.random.Generator) -> None:
    """Write the scores that two judges give to chosen and rejected answers."""
    lines = ["prompt_id,system,human,large,small"]
    for prompt in range(150):
        for answer, human in (("chosen", 1), ("rejected", 0)):
            scores = [
                int(np.clip(round(5 + skill * (human - 0.5) * 2 + 1.2 * rng.normal()), 1, 10))
                for skill in JUDGES.values()
            ]
            lines.append(f"p{prompt + 1:03},{answer},{human},{','.join(map(str, scores))}")
    write(root / "judges.csv", lines)


def main() -> None:
    """Write all files beside this one."""
    root, rng = Path(__file__).parent, np.random.default_rng(23)
    for pair in ("en-de", "en-cs"):
        language_pair(root, pair, rng)
    judges(root, rng)


if __name__ == "__main__":
    main()
