"""Measure metrics of outputs beside sacreBLEU and seqeval, in one process on the same data.

The data are those that the tests use: set OUTSCORE_DATA where they are not beside this repository.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import sacrebleu
from compare import two_threads
from measuring import DATA, Line, cpu_seconds, pretty, table_of_lines
from sacrebleu.metrics.base import Metric as Scorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest, Result, _paired_bs_test
from seqeval.metrics.sequence_labeling import f1_score  # type: ignore[import-untyped]

from outscore.gains.gain_laws import GainLaws, Hypothesis, Resampling
from outscore.gains.pair import Pair
from outscore.metrics.families.spans import SpanF1
from outscore.metrics.families.translation import Bleu, ChrF, TranslationMetric
from outscore.readers.corpora.tagged import TagColumns
from outscore.results import Alternative, Method
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.randomization import Randomization

SEGMENTS, SENTENCES = 2000, 3500
R = 20_480
SEED = 12345


def repeated(items: Sequence[Any], count: int) -> list[Any]:
    return list(islice(cycle(items), count))


def translations() -> tuple[list[str], list[list[str]]]:
    """Return references and two systems' outputs, 2,000 segments each: those of WMT21 twice."""
    folder = DATA / "mt-wmt21-de-en"
    paths = [folder / "ref.A.en.txt", folder / "systems" / "Borderline.txt", folder / "systems" / "Online-B.txt"]
    reference, *systems = (repeated(path.read_text("utf-8").rstrip("\n").split("\n"), SEGMENTS) for path in paths)
    return reference, systems


def translation_pair(metric: TranslationMetric) -> Pair:
    reference, systems = translations()
    references = [(text,) for text in reference]
    baseline, candidate = (metric.rows(outputs, references) for outputs in systems)
    return Pair(metric, baseline, candidate)


def p_value(test: SignificanceTest, pair: Pair, resampling: Resampling) -> float:
    return test.p_value(pair, GainLaws([pair], resampling), Hypothesis(Alternative.TWO_SIDED)).probability


class Extracted:
    """A metric of sacreBLEU for outputs that are extracted statistics already, so that its tests are timed alone."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        vars(scorer)["num_refs"] = 1  # for its signature; extraction would have set it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scorer, name)

    def _extract_corpus_statistics(self, hypotheses: object, references: object) -> object:
        del references
        return hypotheses


def paired_tests(metric: TranslationMetric, scorer: Scorer, targets: Sequence[str]) -> list[Line]:
    """Time both paired tests per resample, from extracted statistics to the p-value."""
    pair = translation_pair(metric)
    extracted: Any = Extracted(scorer)
    baseline, candidate = (rows.astype(int).tolist() for rows in (pair.baseline, pair.candidate))
    named = [("baseline", baseline), ("candidate", candidate)]
    score = extracted._aggregate_and_compute(baseline)
    known = {score.name: (baseline, Result(score.score))}
    metrics = {score.name: extracted}

    def mine(test: SignificanceTest) -> float:
        return cpu_seconds(lambda: p_value(test, pair, Resampling(Method.MONTE_CARLO, R)), repeats=25) / R

    bootstrap, randomization = mine(Bootstrap()), mine(Randomization())
    r_bs, r_ar = 1000, 10_000  # sacreBLEU's defaults
    peers = [
        ("bootstrap", "`--paired-bs`", bootstrap, r_bs, lambda: PairedTest(named, metrics, None, "bs", r_bs)()),
        (
            "bootstrap",
            "`--paired-bs` without the baseline's interval",
            bootstrap,
            r_bs,
            lambda: _paired_bs_test(known, "candidate", candidate, None, metrics, r_bs, -1, SEED),
        ),
        ("randomization", "`--paired-ar`", randomization, r_ar, lambda: PairedTest(named, metrics, None, "ar", r_ar)()),
    ]
    lines = []
    for (name, option, ours, r, run), target in zip(peers, targets, strict=True):
        theirs = cpu_seconds(run, repeats=7) / r
        lines.append(
            Line(
                f"paired {name} of {metric.name}, n = 2,000, per resample",
                f"{ours * 1e6:.3g} µs",
                f"{theirs * 1e6:.3g} µs (sacreBLEU, {option})",
                f"{theirs / ours:,.0f} × faster",
                target,
            )
        )
    return lines


def extraction(metric: TranslationMetric, make: Callable[[], Scorer]) -> Line:
    """Time from texts to statistics, for both systems of a pair, as each tool does it in its paired tests."""
    reference, systems = translations()
    references = [(text,) for text in reference]

    def ours() -> object:
        fresh = type(metric)()
        return [fresh.rows(outputs, references) for outputs in systems]

    def theirs() -> object:
        fresh = make()
        return [fresh._extract_corpus_statistics(outputs, [reference]) for outputs in systems]

    one, other = cpu_seconds(ours, repeats=5), cpu_seconds(theirs, repeats=5)
    return Line(
        f"extraction of {metric.name} from two systems and a reference, n = 2,000",
        pretty(one),
        f"{pretty(other)} (sacreBLEU)",
        f"{one / other:.2f} × its time",
        "≤ 0.5 ×",
    )


MILLION = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, {here!r})
import metrics
pair = metrics.translation_pair(metrics.Bleu())
with ThreadPoolExecutor(2) as executor:
    for test in (metrics.Bootstrap(), metrics.Randomization()):
        start, cpu = time.perf_counter(), time.process_time()
        metrics.p_value(test, pair, metrics.Resampling(metrics.Method.MONTE_CARLO, 10**6, executor=executor))
        print(time.perf_counter() - start, time.process_time() - cpu)
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak) / 1024)
"""


def million() -> list[Line]:
    code = MILLION.format(here=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *times, megabytes = [[float(part) for part in line.split()] for line in done.stdout.splitlines()]
    return [
        Line(
            f"paired {name} of bleu, n = 2,000, r = 10⁶, two threads",
            f"{wall:.1f} s ({cpu:.1f} s of processor time)",
            "",
            f"peak memory {megabytes[0]:.0f} MB",
            "< 10 s, < 400 MB",
        )
        for name, (wall, cpu) in zip(("bootstrap", "randomization"), times, strict=True)
    ]


def sentences() -> dict[str, str]:
    """Return three files of columns, 3,500 sentences each: gold and two systems of WNUT 2017, repeated."""
    folder = DATA / "ner-wnut17"
    paths = {"gold": folder / "gold.bio"} | {
        name: folder / "systems" / f"{name}.bio" for name in ("UH-RiTUAL", "SJTU-Adapt")
    }
    return {
        name: "\n\n".join(repeated(path.read_text("utf-8").strip("\n").split("\n\n"), SENTENCES)) + "\n"
        for name, path in paths.items()
    }


def spans() -> list[Line]:
    texts = sentences()
    gold_text, *systems = texts.values()
    tags = [
        [[line.split("\t")[-1] for line in sentence.split("\n")] for sentence in text.rstrip("\n").split("\n\n")]
        for text in (gold_text, systems[0])
    ]
    metric, columns = SpanF1(), TagColumns()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.bio" for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")

        def read_and_score() -> float:
            gold, output = (columns.parse(path.read_text("utf-8"), path.name) for path in paths[:2])
            return float(metric.score(metric.rows(output.items, gold.items).sum(axis=0)))

        assert abs(read_and_score() - f1_score(*tags)) < 1e-12
        ours = cpu_seconds(read_and_score, repeats=15)
    theirs = cpu_seconds(lambda: f1_score(*tags), repeats=15)
    gold, *outputs = (columns.parse(text, "memory") for text in (gold_text, *systems))
    baseline, candidate = (metric.rows(output.items, gold.items) for output in outputs)

    def exact() -> float:
        # A new pair: laws and counts are kept by the old one.
        return p_value(Randomization(), Pair(metric, baseline, candidate), Resampling(Method.EXACT))

    took = cpu_seconds(exact, repeats=15)
    return [
        Line(
            "span F1, 3,500 sentences, from two files of CoNLL columns to the score",
            pretty(ours),
            f"{pretty(theirs)} (`seqeval.metrics.f1_score`, from tags in memory)",
            f"{ours / theirs:.2f} × its time",
            "< 1 ×",
        ),
        Line("exact randomization of span F1, 3,500 sentences", pretty(took), "", f"p = {exact():.3g}", "< 1 s"),
    ]


def main() -> None:
    """Measure everything and print the section."""
    # First: later the garbage collector has sacreBLEU's many objects to walk through while ours are timed.
    of_spans = spans()
    lines = [
        *paired_tests(Bleu(), BLEU(), ("≥ 80 ×", "", "≥ 20 ×")),
        *paired_tests(ChrF(), CHRF(), ("", "", "")),
        extraction(Bleu(), BLEU),
        extraction(ChrF(), CHRF),
        *million(),
        two_threads("bleu, n = 2,000", translation_pair(Bleu())),
        *of_spans,
    ]
    software = f"sacreBLEU {sacrebleu.__version__} and seqeval {version('seqeval')}"
    print(f"""\
{software} run beside outscore in one process, on the same data: a pair of WMT21 de-en
(Borderline and Online-B, its 1,000 segments twice) and of WNUT 2017 (UH-RiTUAL and SJTU-Adapt, its 1,287 posts
repeated). The least processor time of several runs, all threads together, which a busy machine disturbs little.

{table_of_lines(lines)}

The paired tests are timed from extracted statistics to the p-value, outscore's with r = {R:,}, sacreBLEU's with its
defaults, 1,000 and 10,000. `--paired-bs` draws again for an interval of the baseline's score; the second line leaves
that out. Extraction is timed with nothing kept from an earlier run; for the second system outscore finds the n-grams of
the reference counted, and sacreBLEU's paired tests count them again.""")


if __name__ == "__main__":
    main()
