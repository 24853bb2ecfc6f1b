"""Make the runs and judgements beside it: three made-up retrieval systems on 60 queries, as trec_eval reads them."""

from pathlib import Path

import numpy as np

N_QUERIES, N_DOCUMENTS, DEPTH = 60, 40, 10
# How much of what is relevant a system sees; a query is hard for words, for meanings, or for both.
SIGNAL = {"bm25": 1.0, "dense": 1.05}


def main() -> None:
    """Write the files."""
    folder, rng = Path(__file__).parent, np.random.default_rng(11)
    runs: dict[str, list[str]] = {name: [] for name in (*SIGNAL, "hybrid")}
    judged = []
    for query in range(1, N_QUERIES + 1):
        grades = rng.choice([0, 1, 2], N_DOCUMENTS, p=[0.82, 0.12, 0.06])
        grades[0] = 2  # something is relevant to every query
        ids = [f"d{query:02d}{place:02d}" for place in rng.permutation(N_DOCUMENTS)]
        judged += [f"q{query:02d} 0 {document} {grade}" for document, grade in zip(ids, grades, strict=True) if grade]
        hard = rng.normal(1, 0.4)
        seen = {
            name: signal * hard * grades * rng.normal(1, 0.35) + rng.normal(size=N_DOCUMENTS)
            for name, signal in SIGNAL.items()
        }
        seen["hybrid"] = (seen["bm25"] + seen["dense"]) / 2
        for name, scores in seen.items():
            best = np.argsort(-scores)[:DEPTH]
            runs[name] += [
                f"q{query:02d} Q0 {ids[place]} {rank} {scores[place]:.4f} {name}" for rank, place in enumerate(best, 1)
            ]
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "relevant.qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
