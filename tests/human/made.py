"""Small made-up files of human evaluation, in the layouts of Appraise, Google's MQM, Pearmut and WMT25."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

# Of two systems on documents of 3 and 2 segments: the numbers of segments in the batches of raters, as Appraise exports
# them, the latest first. The 2 segments of one document of MT do not fit in one batch.
BATCHES = (
    "engdeu02,wmt23.MT,6,TGT,eng,deu,61,two#MT",
    "engdeu02,wmt23.MT,5,BAD,eng,deu,9,one#MT#bad1",
    "engdeu02,wmt23.ref,4,TGT,eng,deu,90,two#ref",
    "engdeu02,wmt23.ref,3,TGT,eng,deu,92,two#ref",
    "engdeu02,wmt23.ref,2,TGT,eng,deu,7,two#ref#duplicate1",
    "engdeu02,en-de-tutorial,1,TGT,eng,deu,8,en-de-tutorial#en-de-tutorial",
    "engdeu01,wmt23.MT,10,TGT,eng,deu,62,two#MT",
    "engdeu01,wmt23.ref,9,TGT,eng,deu,81,one#ref",
    "engdeu01,wmt23.ref,8,TGT,eng,deu,82,one#ref",
    "engdeu01,wmt23.ref,7,TGT,eng,deu,83,one#ref",
    "engdeu01,wmt23.MT,4,TGT,eng,deu,71,one#MT",
    "engdeu01,wmt23.MT,3,TGT,eng,deu,72,one#MT",
    "engdeu01,wmt23.MT,2,TGT,eng,deu,73,one#MT",
)
OF_BATCHES = {"wmt23.ref": [83, 82, 81, 92, 90], "wmt23.MT": [73, 72, 71, 62, 61]}  # one:1, one:2, one:3, two:1, two:2

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data" / "human-wmt24-esa"
LANGUAGES = {"en-cs": "esa_wave2_eng-ces.csv", "en-ja": "esa_wave2_eng-jpn.csv"}
DOMAINS = ("news", "social", "speech")


def scores(n_documents: int = 8, n_segments: int = 3, seed: int = 4) -> dict[tuple[str, str, str, int], float]:
    """Return a score of each system, domain, document and segment; documents share an error."""
    rng = np.random.default_rng(seed)
    made: dict[tuple[str, str, str, int], float] = {}
    for system, quality in (("good", 85.0), ("fair", 78.0), ("poor", 60.0)):
        for domain in DOMAINS:
            for document in range(n_documents):
                shared = rng.normal(0, 6)
                for segment in range(n_segments):
                    score = round(float(np.clip(quality + shared + rng.normal(0, 5), 0, 100)))
                    made[system, domain, f"test-en-{domain}_doc.{document}", segment] = score
    return made


def appraise(path: Path, *, spans: bool = True) -> dict[tuple[str, str, str, int], float]:
    """Write a file of Appraise, with what the organisers leave out, and return the scores."""
    made = scores()
    lines = []
    for place, ((system, domain, document, segment), score) in enumerate(made.items()):
        rater = f"engces{place // 3:03}"  # each document of a system has a rater of its own
        extra = ',"[{""start_i"": 1, ""end_i"": 4, ""severity"": ""minor""}]"' if spans else ""
        lines.append(f"{rater},{system},{segment},TGT,eng,ces,{score},{document},False{extra},1.0,2.0")
        del domain
    end = "," + ("[]," if spans else "") + "1.0,2.0"
    lines += [
        f"r,good,0,BAD,eng,ces,3,test-en-news_doc.0,False{end}",
        f"r,good,0,TGT,eng,ces,3,test-en-news_doc.0#dup1,False{end}",
        f"r,good,0,TGT,eng,ces,3,test-en-news_doc.1#incomplete,False{end}",
        f"r,en-tutorial1,7,TGT,eng,ces,3,en-tutorial1,False{end}",
        f"r,good,0,TGT,eng,ces,3,canary,False{end}",
        f"r,good,0,TGT,eng,ces,3,test-en-news_doc.0,True{end}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def batches(path: Path, spans: tuple[str, ...] = ()) -> None:
    """Write `BATCHES`, or for spans, scores of 0 with the spans of each in turn and then none, as for MQM."""
    lines = []
    for place, line in enumerate(BATCHES):
        *before, score, document = line.split(",")
        of_line = (spans[place] if place < len(spans) else "[]").replace('"', '""')
        lines.append(",".join([*before, "0" if spans else score, document, "False", f'"{of_line}"', "1.5", "2.5"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def waves(path: Path, form: str, seed: int = 3) -> dict[str, list[list[float]]]:
    """Write two waves of WMT25 in a form of its scripts, and return the ratings of each segment, by system."""
    rng = np.random.default_rng(seed)
    made: dict[str, list[list[float]]] = {"good": [], "fair": [], "also fair": [], "poor": []}
    lines = []
    for document in range(10):
        for segment in range(2):
            scores: dict[str, object] = {}
            for system, quality in zip(made, (85.0, 78.0, 77.5, 60.0), strict=True):
                both = rng.normal(quality, 8, 2).round().tolist()
                if form == "list":
                    scores[system] = [{"score": score, "annotator": f"r{place}"} for place, score in enumerate(both)]
                elif (document, system) == (1, "fair") and form == "partly":
                    scores[system], both = {"human2": both[1], "errors2": [], "annotator2": "r1"}, both[1:]
                else:
                    scores[system] = {
                        name: value
                        for place, score in enumerate(both, 1)
                        for name, value in ((f"human{place}", score), (f"annotator{place}", f"r{place - 1}"))
                    }
                made[system].append(both)
            doc_id = f"en-cs_CZ_#_news_#_doc{document}_#_{segment}"
            lines.append(json.dumps({"scores": scores, "src_text": "a", "tgt_text": {}, "doc_id": doc_id}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def wmt(path: Path, languages: tuple[str, ...] = ("en-cs_CZ",)) -> dict[tuple[str, str, str, int], float]:
    """Write the JSON Lines of WMT25 and return the scores."""
    made, lines = scores(), []
    for pair in languages:
        for domain, document, segment in dict.fromkeys(key[1:] for key in made):
            of = {
                system: {"human": made[system, domain, document, segment], "errors": []}
                for system in ("good", "fair", "poor")
            }
            name = f"{pair}_#_{domain}_#_{document}"
            lines.append(json.dumps({"scores": of, "src_text": "a", "tgt_text": {}, "doc_id": name}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def pearmut(path: Path, *, raters: tuple[str, ...] = ("ana", "ben")) -> dict[tuple[str, str, str, int], float]:
    """Write annotations of Pearmut, of which every rater scores everything, and return the scores without raters."""
    made, lines = scores(), []
    for number, rater in enumerate(raters):
        for domain, document in dict.fromkeys(key[1:3] for key in made):
            items = [{"item_id": f"en-cs_#_{domain}_#_{document}_#_{segment}"} for segment in range(3)]
            of_items = [
                {
                    system: {"score": made[system, domain, document, segment] + number, "error_spans": []}
                    for system in ("good", "fair", "poor")
                }
                for segment in range(3)
            ]
            lines.append({"user_id": rater, "item_i": 0, "annotation": of_items, "item": items})
        lines.append({"user_id": rater, "item_i": "welcome_0", "annotation": [], "item": []})
        check = {"item_id": "check", "validation": {"good": {"score": [0, 10]}}}
        lines.append({"user_id": rater, "item_i": 1, "annotation": [{"good": {"score": 5}}], "item": [check]})
        skipped = [{"good": {"score": None}}]
        lines.append({"user_id": rater, "item_i": 2, "annotation": skipped, "item": [{"item_id": "x_#_y_#_z_#_0"}]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return made


MQM_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
MQM = (  # system, document, segment, rater, category, severity
    ("a", "d1", "1", "r1", "Accuracy/Mistranslation", "Major"),
    ("a", "d1", "1", "r1", "Fluency/Punctuation", "Minor"),
    ("a", "d1", "1", "r1", "Style/Awkward", "Minor"),
    ("a", "d1", "2", "r1", "No-error", "no-error"),
    ("a", "d2", "3", "r2", "Non-translation!", "Major"),
    ("a", "d2", "4", "r2", "Fluency/Punctuation", "Major"),
    ("b", "d1", "1", "r1", "Terminology", "neutral"),
    ("b", "d1", "2", "r1", "Accuracy/Omission", "critical"),
    ("b", "d2", "3", "r2", "Source issue", "Major"),
    ("b", "d2", "4", "r2", "No-error", ""),
)
MQM_SCORES = {"a": [-6.1, 0.0, -25.0, -5.0], "b": [0.0, -5.0, 0.0, 0.0]}


def mqm(path: Path) -> None:
    """Write the MQM table above."""
    rows = (
        f'{system}\t{document}\t1\t{segment}\t{rater}\tone "two\t<v>x</v>\t{category}\t{severity}'
        for system, document, segment, rater, category, severity in MQM
    )
    path.write_text("\n".join([MQM_HEADER, *rows]) + "\n", encoding="utf-8")
