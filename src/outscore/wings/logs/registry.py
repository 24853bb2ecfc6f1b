"""The registry of log formats, and recognition of files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from outscore.wings.logs.base import LogFile, LogFormat

# By name, the modules and classes; the most distinctive format first.
LOG_FORMATS = {
    "Inspect": ".harnesses.inspect:Inspect",
    "OpenAI Evals": ".harnesses.openai_evals:OpenAIEvals",
    "promptfoo": ".harnesses.promptfoo:Promptfoo",
    "lm-evaluation-harness": ".harnesses.lm_eval:LmEval",
    "AlpacaEval": ".judges.alpaca_eval:AlpacaEval",
    "MT-bench": ".judges.mt_bench:MTBench",
    "Arena-Hard": ".judges.arena_hard:ArenaHard",
    "Every Eval Ever": ".harnesses.every_eval_ever:EveryEvalEver",
    "HELM": ".harnesses.helm:Helm",
    "lighteval": ".harnesses.lighteval:Lighteval",
    "OpenCompass": ".harnesses.opencompass:OpenCompass",
    "LiveBench": ".benchmarks.livebench:LIVE_BENCH",
    "MTEB": ".harnesses.mteb:Mteb",
    "mt-metrics-eval": ".harnesses.mt_metrics_eval:MtMetricsEval",
    "eval-arena": ".benchmarks.eval_arena:EvalArena",
    "SWE-bench": ".benchmarks.swe_bench:SweBench",
    "EvalPlus": ".benchmarks.evalplus:EvalPlus",
    "BigCodeBench": ".benchmarks.evalplus:BigCodeBench",
    "EvalPerf": ".benchmarks.evalplus:EvalPerf",
    "HumanEval": ".benchmarks.human_eval:HUMAN_EVAL",
    "LiveCodeBench": ".benchmarks.live_code_bench:LiveCodeBench",
    "tau-bench": ".benchmarks.tau_bench:TauBench",
    "tau2-bench": ".benchmarks.tau_bench:Tau2Bench",
    "BFCL": ".benchmarks.bfcl:Bfcl",
    "aider": ".benchmarks.aider:Aider",
    "terminal-bench": ".benchmarks.terminal_bench:TerminalBench",
    "Harbor": ".benchmarks.terminal_bench:Harbor",
    "simple-evals": ".benchmarks.simple_evals:SIMPLE_EVALS",
    "DeepEval": ".harnesses.deepeval:DeepEval",
    "MLflow": ".harnesses.mlflow:Mlflow",
    "ragas": ".harnesses.ragas:Ragas",
}


@cache
def log_formats() -> Mapping[str, LogFormat]:
    """Return outscore's own formats of logs by name, in the order of recognition."""
    formats = {}
    for name, target in LOG_FORMATS.items():
        module, _, kind = target.partition(":")
        format_ = getattr(import_module(module, "outscore.wings.logs"), kind)
        formats[name] = format_() if isinstance(format_, type) else format_
    return formats


def format_of_log(file: LogFile) -> LogFormat | None:
    """Return the format that recognizes a file, or None. A Git LFS pointer is refused.

    Formats of other packages are loaded for files that no format of outscore recognizes.
    """
    recognized = _recognized(file, log_formats()) or _recognized(file, _plugged_formats())
    file.forget()
    return recognized


def names_of_formats() -> list[str]:
    """Return the names of all formats, with those of other packages last."""
    return [*log_formats(), *_plugged_formats()]


def _recognized(file: LogFile, formats: Mapping[str, LogFormat]) -> LogFormat | None:
    name = file.name.lower()
    fitting = (format_ for format_ in formats.values() if name.endswith(format_.suffixes))
    return next((format_ for format_ in fitting if format_.recognizes(file)), None)


def _plugged_formats() -> Mapping[str, LogFormat]:
    from outscore.wings.logs.plugins import plugged_formats  # logs of outscore's own formats do not need them

    return plugged_formats(frozenset(LOG_FORMATS))
