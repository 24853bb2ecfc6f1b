"""How the commands have systems read: options of files, their columns and items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Literal

from outscore.cli.arguments import option
from outscore.design.crossed import Option
from outscore.design.options import CROSSED_OPTIONS, CrossedOptions, said_of
from outscore.errors import DataError, OptionError, Problem
from outscore.readers.door import read_systems
from outscore.readers.files import is_readable, split_spec
from outscore.readers.reading import Files, Reading, Work, split_name, system_files
from outscore.text.naming import printable

if TYPE_CHECKING:
    from outscore.design.scores import Scores
    from outscore.laws.resampling import Progress

# "refA", "ref.0", "references-2", "gold_b"; not "refined" or "prefix".
_LIKE_A_REFERENCE = re.compile(r"(?<![A-Za-z])(?:refs?|references?|golds?|Refs?|References?|REFS?|Golds?)(?![a-z])")


def refuse_mistaken(
    systems: Sequence[str], *, metrics: Sequence[str] = (), references: Sequence[str] = (), tests: Sequence[str] = ()
) -> None:
    """Refuse systems that were meant as more metrics, tests or references: these options take one value each time.

    A metric or test is one that is no file. A reference is the first of at least three systems, where it is called
    like one, or like the reference that is named and unlike all other systems. A system with a name of its own, as
    ``NAME=FILE``, is what the user says.

    Raises
    ------
    OptionError
        With the line that helps.
    """
    for named, values, short in (("--metric", metrics, "-m"), ("--test", tests, "-t")):
        strays = [spec for spec in systems if values and _is_called(spec, named)]
        if strays:
            said = [*values, *strays]
            what = f"is no file, and {named} takes one value each time"
            advice = f"Write {short} {','.join(said)} or {' '.join(f'{short} {one}' for one in said)}."
            raise OptionError(Problem(printable(strays[0]), what, printable(advice), "several-values"))
    if len(systems) < 3 or not references:
        return
    first, *others = systems
    if split_name(first)[0] is not None or not is_readable(first):
        return
    called, known = PurePath(first).name, PurePath(references[-1]).name
    form = _skeleton(called)
    alike = called != known and form == _skeleton(known)
    alike = alike and all(_skeleton(PurePath(other).name) != form for other in others)
    if alike or (_LIKE_A_REFERENCE.search(called) and not _LIKE_A_REFERENCE.search(PurePath(others[0]).name)):
        what = "would be taken for a system, and is called like a reference: --reference takes one file each time"
        advice = f"Write -r {references[-1]} -r {first}; or {PurePath(first).stem}={first} if it is a system."
        raise OptionError(Problem(printable(first), what, printable(advice), "reference-as-system"))


def _is_called(spec: str, option: str) -> bool:
    """Tell whether what stands in the place of a file is the name of a metric or test, and no file."""
    if is_readable(split_spec(spec)[0]) or "/" in spec:
        return False
    if option == "--metric":
        from outscore.metrics.registry import is_metric

        return all(is_metric(one) for one in spec.split(",")) and not spec.isdigit()
    from outscore.significance import TESTS
    from outscore.text.aliases import TEST_ALIASES, own_name

    return all(own_name(one, TESTS, TEST_ALIASES) in TESTS for one in spec.split(","))


def _skeleton(name: str) -> str:
    """Return a name without what counts files of one kind: numbers, and single letters."""
    return re.sub(r"[-_.]?(?:\d+|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))", "", name)


def _annotation(of: Option) -> str:
    """Return what cyclopts is told of an option of a crossed factor."""
    if of.is_flag:
        return 'Annotated[bool, option(negative="")]'
    return f"Literal[{', '.join(map(repr, of.values))}] | None" if of.values else "str | None"


if TYPE_CHECKING:
    _CrossedReads = CrossedOptions
else:
    _CrossedReads = make_dataclass(
        "_CrossedReads",
        [(of.name, _annotation(of), False if of.is_flag else None) for of in CROSSED_OPTIONS],
        frozen=True,
        kw_only=True,
        namespace={
            "__doc__": "\n".join(
                ["What users say of crossed factors.\n\nAttributes\n----------"]
                + [f"{of.name}\n    {of.help.format(runs='--runs')}" for of in CROSSED_OPTIONS]
            ),
            "__module__": __name__,
        },
    )


@dataclass(frozen=True)
class SystemReads(_CrossedReads):
    """How systems are read.

    Attributes
    ----------
    metric
        Of columns: mean (one score an item), accuracy (0 or 1), ratio (columns numerator, denominator),
        precision, recall or f1 (columns tp, predicted, gold), perplexity, bits-per-byte. Of outputs, with
        --reference: bleu, chrf, ter, rougeL, las, bracket-f1, aer, span-f1, accuracy, macro-f1, exact-match, wer,
        ap, ndcg@10, pearson and more; options as in bleu:tokenize=zh. Several as bleu,chrf or by repetition; in any
        letter case, and as sacreBLEU and trec_eval call them.
    reference
        A file of references: systems are then files of outputs. May be repeated for metrics that take several.
    input_format
        How outputs and references are written, where neither name nor content tells, as NAME:OPTION=VALUE,...; outscore
        formats lists them.
    lower_is_better
        For mean and ratio: scores are losses or errors.
    id
        The column of item ids. Guessed by default.
    score
        The column of scores. Guessed by default.
    missing
        What to do about items, or runs of items, that a system lacks: an error, leave the items out, or score 0.
    cluster
        Items that belong together (documents, prompts): a column of the score table, a file of one label a line, or
        FILE:COLUMN. Clusters are resampled and swapped whole. Two crossed clusterings (document, annotator) as
        --cluster A --cluster B, in compare alone.
    stratum
        Parts of the test set whose size is fixed (domains, languages), named like clusters. Each needs two items, or
        clusters.
    collapse_strata
        Merge strata of one item, or cluster: into one together, a single one into the smallest other stratum.
    skip_unreadable
        Leave out systems that cannot be read, or that lack items of the others, and say which and why.
    weights
        The share of each stratum in the score: macro (the same for all), size (as its items), or a table with the
        columns stratum and weight. Default: all items weigh the same.
    test_set
        Test sets, tasks, languages that have scores of their own, named like clusters.
    task
        Of logs: the task, or group of tasks, to read; may be repeated. Default: all, each a test set of its own.
    total
        Of logs that name only what was solved: the number of items of the test set, or a file of their ids.
    duplicates
        Of logs: which record is kept where several of an item and run have different scores. Default: an error.
    """

    metric: Annotated[list[str] | None, option(alias="-m", negative="")] = None
    reference: Annotated[list[str] | None, option(alias="-r", negative="", allow_leading_hyphen=True)] = None
    input_format: str | None = None
    lower_is_better: Annotated[bool, option(negative="")] = False
    id: str | None = None
    score: str | None = None
    missing: Literal["error", "drop", "zero"] = "error"
    cluster: Annotated[list[str] | None, option(negative="")] = None
    stratum: str | None = None
    collapse_strata: Annotated[bool, option(negative="")] = False
    skip_unreadable: Annotated[bool, option(negative="")] = False
    weights: str | None = None
    test_set: str | None = None
    task: Annotated[list[str] | None, option(negative="")] = None
    total: str | None = None
    duplicates: Literal["first", "last"] | None = None

    @property
    def references(self) -> Files:
        """The files of references."""
        return Files(self.reference or ())

    @property
    def clusters(self) -> str | tuple[str, ...] | None:
        """The clusters, or two clusterings."""
        if self.cluster is not None and len(self.cluster) > 2:
            what = f"expected one clustering, or two that cross, got {len(self.cluster)}"
            raise OptionError(Problem("--cluster", what, "Name two.", "two-way"))
        return self.cluster[0] if self.cluster and len(self.cluster) == 1 else tuple(self.cluster or ()) or None

    @property
    def reading(self) -> Reading:
        """The same, for the readers."""
        return Reading(
            references=self.references or None,
            families=self.families if isinstance(self, BoardReads) else None,
            input_format=self.input_format,
            lower_is_better=self.lower_is_better,
            id_column=self.id,
            score_column=self.score,
            clusters=self.clusters,
            strata=self.stratum,
            collapse_strata=self.collapse_strata,
            drop_missing=self.missing == "drop",
            skip_unreadable=self.skip_unreadable,
            zero_missing=self.missing == "zero",
            weights=self.weights,
            test_sets=self.test_set,
            task=self.task,
            total=self.total,
            duplicates=self.duplicates,
            **said_of(self),  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class BoardReads(SystemReads):
    """How the systems of a leaderboard are read.

    Attributes
    ----------
    metric
        As for outscore compare. May be repeated: one answer each.
    families
        FILE:COLUMN of a table that holds a family (research group, base model) for every system.
    """

    families: str | None = None

    def scores(self, systems: Sequence[str], *, jobs: int = 1, progress: Progress | None = None) -> Scores:
        """Return the scores of the systems in files, or in one file of all.

        Raises
        ------
        OutscoreError
            One system alone, and whatever reading can raise.
        """
        refuse_mistaken(systems, metrics=self.metric or (), references=self.references)
        sources = system_files(systems)
        alone = len(sources) == 1 and (split_spec(sources[0].spec)[1] or sources[0].name or self.references)
        if alone and not sources[0].spec.lower().endswith(".toml"):
            what = "expected at least two systems, got one"
            advice = "Name more systems, or a board."
            raise DataError(Problem(printable(sources[0].spec), what, advice, "one-system"))
        work = Work(jobs=jobs, progress=progress)
        scores = read_systems(sources, self.metric or None, self.reading, one_table=True, work=work).paired()
        scores.check_names()
        return scores
