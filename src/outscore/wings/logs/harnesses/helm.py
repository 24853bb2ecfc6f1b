"""Logs of HELM: folders of a run, with ``run_spec.json``, ``per_instance_stats.json`` and ``stats.json``."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.errors import DataError
from outscore.metrics.families.columns import direction_of
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.wings.logs.files import beside, first_of_items
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of, digest_of, facts_of, range_of, text_in, under

_INSTANCES = "per_instance_stats.json"
_SPEC = "run_spec.json"
_STATS = "stats.json"
_STATE = "scenario_state.json"
# The first bytes of each file of a run.
_BEGINS = {
    _INSTANCES: re.compile(rb'\s*\[\s*\{\s*"instance_id"\s*:.*?"(?:stats|train_trial_index)"\s*:', re.DOTALL),
    _STATS: re.compile(rb'\s*\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:'),
    _SPEC: re.compile(rb'\s*\{.*"adapter_spec"\s*:', re.DOTALL),
}
_BETWEEN = b"\n  },"
_LONGEST = 2**28
_MOST_METRICS = 256

# Metrics that HELM's schemas list under general information, efficiency and calibration, not quality.
_BOOKKEEPING = re.compile(
    r"num_.+|max_num_.+|estimated_num_tokens_cost|prompt_truncated|finish_reason_.+|predicted_index|batch_size|max_prob"
    r"|training_(?:co2|energy)_cost|inference_.*runtime|logprob|target_.+|instance_.+"
)
# HELM's schemas declare that lower is better for these, which their names do not tell.
_LOWER = (
    "absolute_value_difference distance toxic_frac expected_max_toxicity max_toxicity_probability "
    "longest_common_prefix_length edit_similarity mer_score mer equalized_odds_difference demographic_parity_difference"
)
_SHARES = re.compile(
    r"(?:quasi_)?(?:prefix_)?exact_match(?:@\d+)?|exact_match_indicator|final_number_exact_match|f1_score|f1_set_match"
    r"|rouge_[12l]|bleu_[14]|math_equiv(?:_chain_of_thought)?|pass|chain_of_thought_correctness|ifeval_strict_accuracy"
)
# By metric, the groups of runs whose main_name it is in HELM's schemas (classic, lite, mmlu, capabilities, safety,
# medhelm, thai, arabic, finance, long context); if two schemas disagree, the first metric of the run is used.
_MAIN = {
    "final_number_exact_match": "gsm",
    "exact_match_indicator": "gsm dyck_language",
    "quasi_exact_match": "boolq imdb raft civil_comments wikifact babi_qa synthetic_reasoning legalbench legal_support "
    "lsat_qa med_qa entity_data_imputation entity_matching bbq casehold banking77 decodingtrust_adv_robustness",
    "bbq_accuracy": "bbq",
    "exact_match": "mmlu hellaswag openbookqa truthful_qa commonsense blimp med_qa thai_exam arabic_mmlu alghafa "
    "arabic_exams madinah_qa aratrust pubmed_qa head_qa medbullets med_mcqa ewok enem_challenge infinite_bench_en_mc",
    "f1_score": "narrative_qa natural_qa_closedbook natural_qa_openbook_longans quac",
    "f1_set_match": "synthetic_reasoning_natural",
    "rouge_2": "summarization_cnndm summarization_xsum billsum_legal_summarization multilexsum_legal_summarization "
    "eurlexsum_legal_summarization",
    "rouge_l": "legal_contract_summarization sumosum infinite_bench_en_sum",
    "bleu_4": "wmt_14",
    "RR@10": "msmarco_regular",
    "NDCG@10": "msmarco_trec",
    "bits_per_byte": "ice the_pile twitter_aae twitter_aae_aa twitter_aae_white",
    "math_equiv": "math_regular",
    "math_equiv_chain_of_thought": "math_chain_of_thought",
    "test_avg": "code_apps",
    "pass": "code_humaneval",
    "chain_of_thought_correctness": "mmlu_pro gpqa",
    "ifeval_strict_accuracy": "ifeval",
    "wildbench_score_rescaled": "wildbench",
    "omni_math_accuracy": "omni_math",
    "safety_score": "harm_bench harm_bench_gcg_transfer simple_safety_tests xstest anthropic_red_team",
    "air_score": "air_bench_2024",
    "openai_mrcr_accuracy": "openai_mrcr",
    "ruler_string_match_part": "ruler_squad ruler_hotpotqa",
    "annotation_financebench_label_correct_answer": "financebench",
    "medcalc_bench_accuracy": "medcalc_bench",
    "execution_accuracy": "spider bird_sql",
}
# Groups for which the schemas report the split "valid".
_VALID = (
    "boolq natural_qa_closedbook natural_qa_openbook_longans quac hellaswag truthful_qa msmarco_regular msmarco_trec "
    "imdb med_mcqa ruler_squad ruler_hotpotqa spider bird_sql"
)


class Helm(LogFormat):
    """Folders of runs of Stanford's HELM: the statistics of instances; each split is a task.

    Records of an instance, one per metric of HELM, are merged. Perturbed instances are left out. Training trials
    are runs.
    """

    name = "HELM"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        begins = _BEGINS.get(file.name)
        return begins is not None and begins.match(file.head) is not None

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        folders = list(dict.fromkeys(file.path.parent for file in files))
        incomplete = [folder for folder in folders if beside(folder, _INSTANCES) is None]
        if len(incomplete) == len(folders):
            where = next(file.where for file in files)
            what = f"{_INSTANCES} is missing next to it; means cannot be compared item by item"
            raise wrong_log(where, what, "Pass the whole folder of the run.", "no-samples")
        notes = [f"{printable(str(folder))} has no {_INSTANCES}, and is left out" for folder in incomplete]
        for folder in folders:
            if folder not in incomplete:
                for log in _logs_of(folder):
                    yield replace(log, notes=[*log.notes, *notes])
                    notes = []

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        state = beside(Path(log.path).parent, _STATE)
        requests = _requests(state) if state is not None else ()
        plain = (
            (name_in(request.instance.id), request) for request in requests if request.instance.perturbation is None
        )
        return {
            item: ItemTexts(
                _text(request_state.instance.input), _targets(request_state.instance), _answer(request_state)
            )
            for item, request_state in first_of_items(plain, items)
        }


class _Perturbation(msgspec.Struct):
    name: Any = None


class _Name(msgspec.Struct):
    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: _Perturbation | None = None


class _Stat(msgspec.Struct):
    name: _Name
    count: Any = None
    mean: Any = None


class _Instance(msgspec.Struct):
    instance_id: Any
    stats: list[_Stat]
    train_trial_index: Any = 0
    perturbation: _Perturbation | None = None


class _StateInstance(msgspec.Struct):
    id: Any = None
    input: Any = None
    references: Any = None
    perturbation: _Perturbation | None = None


class _Completions(msgspec.Struct):
    completions: Any = None


class _Request(msgspec.Struct):
    prompt: Any = None


class _RequestState(msgspec.Struct):
    instance: _StateInstance
    train_trial_index: Any = 0
    output_mapping: Any = None
    request: _Request | None = None
    result: _Completions | None = None


class _State(msgspec.Struct):
    request_states: list[_RequestState]


def _whole(file: LogFile, type_: Any) -> Any:
    """Return the content of a file; for a truncated file, the error gives its end."""
    data = file.data
    try:
        return json_in(data, file.where, type_)
    except DataError as error:
        if "truncated" not in str(error):
            raise
        raise _cut(file, len(data)) from None


def _cut(file: LogFile, size: int) -> DataError:
    what = f"the JSON is incomplete: {size:,} bytes"
    return wrong_log(file.where, what, "The run was interrupted, or is still being written. Run it again.", "not-json")


def _elements(file: LogFile) -> Iterator[_Instance]:
    """Yield the elements of an array; if HELM indented it, only some are in memory at a time."""
    if not re.match(rb"\[\r?\n  \{\r?\n", file.head):
        yield from _whole(file, list[_Instance])
        return
    # JSON text has no line break in it, so a line with only the bracket ends an element.
    rest, done = b"", 0
    for part in file.parts():
        done += len(part)
        rest += part
        end = rest.rfind(_BETWEEN)
        if end >= 0:
            end += len(_BETWEEN) - 1  # without the comma
            yield from _decoded(rest[:end] + b"]", file, done)
            rest = b"[" + rest[end + 1 :]
        elif len(rest) > _LONGEST:
            raise wrong_log(file.where, f"expected an instance of at most {_LONGEST >> 20} MiB")
    if not rest.rstrip().endswith(b"]"):
        raise _cut(file, done)
    yield from _decoded(rest, file, done)


def _decoded(elements: bytes, file: LogFile, done: int) -> Sequence[_Instance]:
    decoded: list[_Instance] = json_in(elements, f"{file.where}, before byte {done:,}", list[_Instance])
    return decoded


def _requests(file: LogFile) -> Sequence[_RequestState]:
    state: _State = _whole(file, _State)
    return state.request_states


def _text(value: object) -> str | None:
    """Return the text of an input or an output."""
    return text_in(value.get("text") if isinstance(value, Mapping) else value)


def _targets(instance: _StateInstance) -> str | None:
    """Return the correct references."""
    right = [
        _text(under(reference, "output"))
        for reference in (instance.references if isinstance(instance.references, list) else ())
        if "correct" in (under(reference, "tags") or ())
    ]
    return " | ".join(text for text in right if text is not None) or None


def _answer(request: _RequestState) -> str | None:
    completions = request.result.completions if request.result is not None else None
    answer = _text(completions[0]) if isinstance(completions, list) and completions else None
    mapping = request.output_mapping
    if answer is not None and isinstance(mapping, Mapping) and isinstance(mapping.get(answer.strip()), str):
        return f"{answer.strip()}. {mapping[answer.strip()]}"
    return answer


class _Run:
    """The unperturbed instances of the elements: by split, one record per instance and trial."""

    def __init__(self) -> None:
        self.splits = defaultdict[str, RecordBuilder](lambda: RecordBuilder(_MOST_METRICS, slug="wrong-log"))
        self.not_once: set[str] = set()  # metrics with a number of values other than one per instance
        self.n_perturbed = 0
        self._cells: dict[tuple[str, str], tuple[RecordBuilder, int]] = {}

    def add(self, element: _Instance, where: str) -> None:
        item, trial = name_in(element.instance_id), name_in(element.train_trial_index, "0")
        if not item:
            raise wrong_log(where, 'expected a name as "instance_id"')
        if element.perturbation is not None:
            self.n_perturbed += 1
            return
        stats = [stat for stat in element.stats if stat.name.perturbation is None]
        if (item, trial) not in self._cells:
            records = self.splits[next((stat.name.split for stat in stats if stat.name.split), "") or ""]
            sub_split = next((stat.name.sub_split for stat in stats if stat.name.sub_split), "") or ""
            self._cells[item, trial] = records, records.add(item, trial, labels={"sub_split": sub_split})
        records, record = self._cells[item, trial]
        for stat in stats:
            name = stat.name.name
            if _BOOKKEEPING.fullmatch(name):
                continue
            count, mean = as_score(stat.count), as_score(stat.mean)
            if count != 1:
                self.not_once.add(name)
            # Not scored without a count; another of HELM's metrics may score it later.
            records.score(record, name, mean if count > 0 else math.nan, where)


def _logs_of(folder: Path) -> Iterator[Log]:
    file = beside(folder, _INSTANCES)
    assert file is not None
    spec_file, stats_file = beside(folder, _SPEC), beside(folder, _STATS)
    spec = _whole(spec_file, Any) if spec_file is not None else {}
    if not isinstance(spec, Mapping):
        raise wrong_log(spec_file.where if spec_file is not None else "", "expected an object, got something else")
    run = _Run()
    for element in _elements(file):
        run.add(element, file.where)
    if not run.splits:
        more = f", except for {run.n_perturbed:,} perturbed ones" if run.n_perturbed else ""
        raise wrong_log(file.where, f"expected instances, got none{more}", slug="empty")
    stats: list[_Stat] = _whole(stats_file, list[_Stat]) if stats_file is not None else []
    documents = _digests(folder)
    groups = _names(spec.get("groups"))
    task, system = _task_and_system(spec, folder)
    main = _main_split(list(run.splits), groups)
    absent = (
        []
        if spec_file is not None
        else [f"{_SPEC} is missing next to it, so system and task are named after its folder"]
    )
    for split, records in sorted(run.splits.items(), key=lambda item: item[0] != main):
        cells = list(zip(records.items, records.runs, strict=True))
        records.digests = {
            name: [digest_of_cell.get(cell, "") for cell in cells] for name, digest_of_cell in documents.items()
        }
        means = {
            stat.name.name: as_score(stat.mean)
            for stat in stats
            if (stat.name.split or "") == split and stat.name.perturbation is None and stat.name.sub_split is None
        }
        metrics, notes = _metrics_of_split(records, means, groups, run)
        yield records.log(
            file.path,
            system,
            task if split == main else f"{task} ({printable(split)})",
            metrics,
            is_secondary=split != main,
            facts=_facts(spec),
            notes=[*absent, *notes],
        )


def _metrics_of_split(
    records: RecordBuilder, means: Mapping[str, float], groups: Sequence[str], run: _Run
) -> tuple[list[LogMetric], list[str]]:
    """Return the metrics of one split, and notes on what is left out."""
    n_items = len(set(records.items))
    size = means.get("num_instances", math.nan)
    n = int(size) if math.isfinite(size) and size > n_items else None
    # A mean over trials of means over instances equals that of instances' means if all trials have the same instances.
    is_mean = len(records) == n_items * len(set(records.runs))
    scores = {
        name: values_of_metric
        for name in records.columns
        if np.isfinite(values_of_metric := records.scores(name)).any()
    }
    main = next(
        (name for name, group_names in _MAIN.items() if name in scores and set(group_names.split()) & set(groups)), None
    )
    metrics = [
        LogMetric(
            name=printable(name),
            scores=values_of_metric,
            higher_is_better=name not in _LOWER.split() and direction_of(name) is not False,
            is_main=name == main,
            aggregates=aggregates_of({"mean": means.get(name)}, n) if is_mean and name not in run.not_once else (),
            **range_of(values_of_metric if _SHARES.fullmatch(name) else None),
        )
        for name, values_of_metric in scores.items()
    ]
    notes = []
    if n is not None:
        notes.append(f"has {n_items:,} of the {n:,} evaluated instances")
    if run.n_perturbed:
        notes.append(f"{run.n_perturbed:,} records of perturbed instances are left out")
    return metrics, notes


def _digests(folder: Path) -> Mapping[str, Mapping[tuple[str, str], str]]:
    """Return hashes of the input and the prompt of each instance and trial, if the requests were saved."""
    state = beside(folder, _STATE)
    if state is None:
        return {}
    documents: dict[tuple[str, str], str] = {}
    prompts: dict[tuple[str, str], str] = {}
    for request in _requests(state):
        cell = name_in(request.instance.id), name_in(request.train_trial_index, "0")
        if request.instance.perturbation is not None or cell in documents:
            continue
        documents[cell] = digest_of(_text(request.instance.input) or "")
        prompts[cell] = digest_of(text_in(request.request.prompt) or "") if request.request is not None else ""
    return {"document": documents, "prompt": prompts}


def _names(value: object) -> Sequence[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _main_split(splits: Sequence[str], groups: Sequence[str]) -> str:
    """Return the split in HELM's tables."""
    if "valid" in splits and set(_VALID.split()) & set(groups):
        return "valid"
    return "test" if "test" in splits else splits[0]


def _task_and_system(spec: Mapping[str, Any], folder: Path) -> tuple[str, str]:
    """Return the name of the run without its model, and the model."""
    name = name_in(spec.get("name")) or printable(folder.resolve().name)
    scenario, colon, arguments = name.partition(":")
    if not colon and "=" in name:  # folders of systems whose names have no colons
        scenario, _, arguments = name.partition("-")
    listed = arguments.split(",") if arguments else []
    models = [setting.partition("=")[2] for setting in listed if setting.startswith("model=")]
    rest = [setting for setting in listed if not setting.startswith(("model=", "model_deployment="))]
    model = name_in(under(spec, "adapter_spec", "model"))
    task = f"{scenario}:{','.join(rest)}" if rest else scenario
    return task, model or (models[0] if models else printable(folder.resolve().name))


def _facts(spec: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the settings that should agree between compared logs."""
    adapter = spec.get("adapter_spec")
    keys: Mapping[str, str] = {
        "method": "method",
        "few-shot examples": "max_train_instances",
        "limit": "max_eval_instances",
        "training trials": "num_train_trials",
        "temperature": "temperature",
        "longest answer in tokens": "max_tokens",
        "outputs": "num_outputs",
    }
    facts = {called: under(adapter, key) for called, key in keys.items()}
    parts = [under(adapter, key) for key in ("instructions", "input_prefix", "output_prefix", "reference_prefix")]
    if any(isinstance(part, str) and part for part in parts):
        facts["prompt template"] = digest_of(repr(parts))
    annotators = spec.get("annotators")
    facts["annotators"] = ", ".join(
        name_in(under(annotator, "class_name")).rpartition(".")[2]
        for annotator in (annotators if isinstance(annotators, list) else ())
    )
    return facts_of(facts)
