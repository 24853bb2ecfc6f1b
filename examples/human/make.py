"""Make the files beside this one.

esa.csv has made-up scores of five systems, in the layout that Appraise exports for ESA. As at WMT, one rater scores all
segments of a document of a system, raters differ in leniency, and control items are among the rows.

judged.csv has made-up answers of two systems to 400 prompts. A judge scored all of them from 0 to 100, and people
graded those of a random 60 prompts from 1 to 7.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SYSTEMS = {"Alder": 86.0, "Birch": 85.0, "Cedar": 82.0, "Dogwood": 76.0, "Elm": 62.0}
DOMAINS = {"news": (10, 5), "social": (14, 3), "speech": (12, 1)}  # documents, and segments of each on average
RATERS = 16


def made() -> list[str]:
    """Return the lines of the file."""
    rng = np.random.default_rng(24)
    leniency, lines, segment = rng.normal(0, 6, RATERS), [], 0
    for domain, (documents, segments) in DOMAINS.items():
        for number in range(1, documents + 1):
            document = f"test-en-{domain}_text.{number}"
            hard, places = rng.normal(0, 4), range(segment, segment + max(1, rng.poisson(segments)))
            segment = places.stop
            of_places = rng.normal(0, 5, len(places))
            for system, quality in SYSTEMS.items():
                rater, own = rng.integers(RATERS), rng.normal(0, 4)
                scores = quality + hard + own + leniency[rater] + of_places + rng.normal(0, 9, len(places))
                for place, score in zip(places, np.clip(np.round(scores), 0, 100).astype(int), strict=True):
                    lines.append(row(rater, system, place, "TGT", score, document))
                if rng.random() < 0.2:
                    lines.append(row(rater, system, places[0], "BAD", rng.integers(0, 40), document))
    return lines


def judged() -> list[str]:
    """Return the lines of judged.csv."""
    rng = np.random.default_rng(61)
    prompts, graded = 400, 60
    by_people = rng.permutation(prompts) < graded
    hard, lines = rng.normal(0, 0.8, prompts), ["system,item,human,judge"]
    for system, quality in (("base", 4.2), ("new", 4.35)):
        own = quality - hard + rng.normal(0, 1.1, prompts)
        human = np.clip(np.round(own + rng.normal(0, 0.5, prompts)), 1, 7).astype(int)
        judge = np.clip(np.round(20 + 10 * own + rng.normal(0, 14, prompts)), 0, 100).astype(int)
        for place in range(prompts):
            grade = human[place] if by_people[place] else ""
            lines.append(f"{system},p{place + 1:03},{grade},{judge[place]}")
    return lines


def row(rater: int, system: str, segment: int, kind: str, score: int, document: str) -> str:
    """Return a line of Appraise: rater, system, segment, type, languages, score, document, whole, spans, times."""
    return f"engces{rater:02},{system},{segment},{kind},eng,ces,{score},{document},False,[],1.0,2.0"


if __name__ == "__main__":
    (HERE / "esa.csv").write_text("\n".join(made()) + "\n", encoding="utf-8")
    (HERE / "judged.csv").write_text("\n".join(judged()) + "\n", encoding="utf-8")
