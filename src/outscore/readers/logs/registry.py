"""The formats of logs, and which of them a file is of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from outscore.readers.logs.base import LogFile, LogFormat

# By name, the modules and classes; the surest mark first.
LOG_FORMATS = {
    "Inspect": ".inspect:Inspect",
    "OpenAI Evals": ".openai_evals:OpenAIEvals",
    "promptfoo": ".promptfoo:Promptfoo",
    "lm-evaluation-harness": ".lm_eval:LmEval",
    "AlpacaEval": ".alpaca_eval:AlpacaEval",
    "MT-bench": ".mt_bench:MTBench",
    "Arena-Hard": ".arena_hard:ArenaHard",
    "Every Eval Ever": ".every_eval_ever:EveryEvalEver",
    "HELM": ".helm:Helm",
    "lighteval": ".lighteval:Lighteval",
    "OpenCompass": ".opencompass:OpenCompass",
    "LiveBench": ".livebench:LiveBench",
    "MTEB": ".mteb:Mteb",
    "mt-metrics-eval": ".mt_metrics_eval:MtMetricsEval",
    "eval-arena": ".eval_arena:EvalArena",
    "SWE-bench": ".swe_bench:SweBench",
    "EvalPlus": ".evalplus:EvalPlus",
    "BigCodeBench": ".evalplus:BigCodeBench",
    "EvalPerf": ".evalplus:EvalPerf",
    "HumanEval": ".human_eval:HumanEval",
    "LiveCodeBench": ".live_code_bench:LiveCodeBench",
    "tau-bench": ".tau_bench:TauBench",
    "tau2-bench": ".tau_bench:Tau2Bench",
    "BFCL": ".bfcl:Bfcl",
    "aider": ".aider:Aider",
}


@cache
def log_formats() -> Mapping[str, LogFormat]:
    """Return the formats of logs by name, in the order of sniffing."""
    formats = {}
    for name, place in LOG_FORMATS.items():
        module, _, kind = place.partition(":")
        formats[name] = getattr(import_module(module, "outscore.readers.logs"), kind)()
    return formats


def format_of_log(file: LogFile) -> LogFormat | None:
    """Return the format that recognizes a file; None where none does.

    Raises
    ------
    DataError
        A pointer of Git LFS.
    """
    name = file.name.lower()
    fitting = (known for known in log_formats().values() if name.endswith(known.suffixes))
    recognized = next((known for known in fitting if known.recognizes(file)), None)
    file.forget()
    return recognized
