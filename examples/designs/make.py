"""Make the tables and translations beside this file: two made-up systems, base and new, in each design."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
WORDS = {
    "the": ("the", "that", "a"),
    "big": ("big", "large", "great"),
    "house": ("house", "home", "building"),
    "quickly": ("quickly", "fast", "rapidly"),
    "child": ("child", "kid", "infant"),
    "walks": ("walks", "goes", "moves"),
    "road": ("road", "street", "way"),
    "old": ("old", "ancient", "aged"),
    "teacher": ("teacher", "tutor", "master"),
    "buys": ("buys", "purchases", "gets"),
    "bread": ("bread", "loaf", "food"),
    "today": ("today", "now", "nowadays"),
    "river": ("river", "stream", "water"),
    "sees": ("sees", "notices", "watches"),
}
PATTERNS = (
    "the {a} {n} {v} the {m} {e}",
    "{e} the {n} {v} the {a} {m}",
    "the {n} {v} the {b} {m} of the {a} {l}",
    "{e} the {b} {n} of the {m} {v} the {l}",
)
SLOTS = {
    "a": ("big", "old"),
    "b": ("old", "big"),
    "n": ("child", "teacher"),
    "m": ("house", "road", "river", "bread"),
    "l": ("river", "house", "road"),
    "v": ("walks", "buys", "sees"),
    "e": ("today", "quickly"),
}
TASKS = {
    "algebra": (150, 0.06),
    "biology": (90, 0.08),
    "chemistry": (60, 0.07),
    "geography": (40, 0.00),
    "history": (120, 0.06),
    "law": (200, -0.08),
    "logic": (30, 0.10),
    "medicine": (70, 0.05),
}


def made_runs() -> None:
    """Five seeds a system, 300 questions: 3 points apart, a score's standard deviation from seed to seed 2.5 points."""
    rng = np.random.default_rng(10)
    hard, lines = rng.normal(0, 1.5, 300), ["system,item,run,score"]
    for system, ability in (("base", 0.6), ("new", 0.75)):
        own = rng.normal(0, 0.4, 300)
        for run in range(1, 6):
            logits = ability + rng.normal(0, 0.12) + hard + own + rng.normal(0, 0.3, 300)
            right = rng.random(300) < 1 / (1 + np.exp(-3 * logits))
            lines += [f"{system},q{item:03},seed{run},{int(one)}" for item, one in enumerate(right, 1)]
    write("runs.csv", lines)


def made_samples() -> None:
    """Ten samples of each of 80 programs to write, of which a system passes a share of its own; some time out."""
    rng = np.random.default_rng(7)
    usual = rng.beta(0.5, 0.7, 80)
    lines, cut = ["system,item,sample,score"], ["system,item,sample,score"]
    for system, better in (("base", 0.0), ("new", 0.08)):
        chance = np.clip(usual + better + rng.normal(0, 0.1, 80), 0, 1)
        for item in range(80):
            for sample in range(1, 11):
                passed = rng.random() < chance[item]
                lines.append(f"{system},p{item + 1:02},{sample},{int(passed)}")
                if passed or system == "base" or rng.random() < 0.7:
                    cut.append(lines[-1])
    write("samples.csv", lines)
    write("timeouts.csv", cut)


def made_tasks() -> None:
    """Right or wrong answers to the questions of eight subjects, whose sizes and gains differ."""
    rng = np.random.default_rng(3)
    lines = ["item,subject,base,new"]
    for subject, (n, gain) in TASKS.items():
        easy = rng.beta(2, 1.2, n)
        for item in range(n):
            same, draw = rng.random(2)
            base = rng.random() < easy[item]
            new = base if same < 0.5 else draw < easy[item] + 2 * gain
            lines.append(f"{subject}-{item + 1:03},{subject},{int(base)},{int(new)}")
    write("subjects.csv", lines)


def made_translations() -> None:
    """Three training runs a system of 120 sentences; a run has words of its own, which all its sentences share."""
    rng = np.random.default_rng(2)
    references = []
    for _ in range(120):
        words = {slot: str(rng.choice(choices)) for slot, choices in SLOTS.items()}
        references.append(str(rng.choice(PATTERNS)).format(**words))
    write("reference.txt", references)
    for system, rate in (("base", 0.2), ("new", 0.16)):
        for run in range(1, 4):
            odd = {word: rate * rng.gamma(4, 0.25) for word in WORDS}
            lines = [
                " ".join(
                    str(rng.choice(WORDS[word][1:])) if rng.random() < odd.get(word, 0) else word
                    for word in reference.split()
                )
                for reference in references
            ]
            write(f"{system}.{run}.txt", lines)


def made_ratings() -> None:
    """Grades from 1 to 5: five raters, strict or mild, read both answers to 60 questions; they differ in taste."""
    rng = np.random.default_rng(4)
    lines = ["item,rater,base,new"]
    easy = rng.normal(3.2, 0.7, 60)
    for rater in ("ana", "ben", "chloe", "deniz", "emil"):
        strict, taste = rng.normal(0, 0.4), rng.normal(0, 0.22)
        for item in range(60):
            both = easy[item] + strict + rng.normal(0, 0.3)
            grades = (both + rng.normal(0, 0.6), both + 0.25 + taste + rng.normal(0, 0.6))
            base, new = (int(np.clip(np.rint(grade), 1, 5)) for grade in grades)
            lines.append(f"q{item + 1:02},{rater},{base},{new}")
    write("ratings.csv", lines)


def made_preferences() -> None:
    """A judge's preference for new (1, 0.5, 0) on 80 prompts, in both orders; it likes the answer shown first."""
    rng = np.random.default_rng(6)
    lines = ["prompt,order,preference"]
    for prompt in range(1, 81):
        better = rng.normal(0.35, 1.0)
        for order, bias in (("new-first", 0.5), ("new-second", -0.5)):
            seen = better + bias + rng.normal(0, 0.5)
            lines.append(f"p{prompt:02},{order},{0.5 if abs(seen) < 0.3 else int(seen > 0)}")
    write("preferences.csv", lines)


def made_robots() -> None:
    """Two policies, ten tasks, five trials of each: success (1) or not (0)."""
    rng = np.random.default_rng(9)
    lines = ["task,trial,base,new"]
    tasks = ("cup", "drawer", "towel", "plug", "lid", "stack", "pour", "wipe", "hang", "sort")
    for task in tasks:
        easy, gain = rng.normal(0, 1.2), rng.normal(1.1, 1.0)
        for trial in range(1, 6):
            base, new = (int(rng.random() < 1 / (1 + np.exp(-logit))) for logit in (easy, easy + gain))
            lines.append(f"{task},{trial},{base},{new}")
    write("robots.csv", lines)


def made_intents() -> None:
    """The intent of 400 messages, and what two classifiers say: new is better at the rare one."""
    rng = np.random.default_rng(11)
    intents, shares = ("order", "return", "complaint"), (0.6, 0.3, 0.1)
    lines = ["item,gold,base,new"]
    for message in range(1, 401):
        gold, hard = str(rng.choice(intents, p=shares)), rng.random()
        wrong = [intent for intent in intents if intent != gold]
        found = []
        for rate in (0.55 if gold == "complaint" else 0.36, 0.32):
            missed = (0.6 * hard + 0.4 * rng.random()) > 1 - rate
            found.append(str(rng.choice(wrong)) if missed else gold)
        lines.append(f"m{message:03},{gold},{found[0]},{found[1]}")
    write("intents.csv", lines)


def write(name: str, lines: list[str]) -> None:
    """Write lines beside this file."""
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    made_runs()
    made_samples()
    made_tasks()
    made_translations()
    made_ratings()
    made_preferences()
    made_robots()
    made_intents()
