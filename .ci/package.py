"""Build the wheel and the sdist, check both, and try the wheel in new environments of each Python that is here.

Each environment is made without extras and with all; a last one has the lowest versions that pyproject.toml allows.
`python .ci/package.py --dist DIR` leaves what was built in DIR. It needs build tools: `pip install '.[release]'`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
EXTRAS = ["asr", "cluster", "frames", "mt", "plots", "rouge"]
SYSTEMS = "examples/cruxeval/correct.tsv:"
COMPARISON = [f"{SYSTEMS}gpt-4-turbo-2024-04-09", f"{SYSTEMS}claude-3-5-sonnet-20241022", "--metric", "accuracy"]
OUTPUTS = [f"examples/designs/{name}.txt" for name in ("base.1", "new.1")]
# The whole frozen corpus runs on the newest Python and on the lowest versions of packages, and a quarter on the others.
SAMPLE = [f"tests/frozen/test_frozen.py::test_nothing_has_changed[{chunk}]" for chunk in (0, 4, 8)]
BLEU = ["compare", *OUTPUTS, "-r", "examples/designs/reference.txt", "-m", "bleu"]


def run(*command: str | Path, **more: object) -> str:
    """Run a command quietly; what it says is shown where it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,  # type: ignore[call-overload]
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nexit {done.returncode}")
    return str(done.stdout)


def tool(name: str) -> Path:
    return Path(sys.executable).parent / name


def interpreters() -> dict[str, str]:
    """Return a Python of each version that can be had without a download."""
    here: dict[str, str] = {}
    for version in VERSIONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for candidate in (shutil.which(f"python{version}"), *map(str, kept)):
            told = candidate and subprocess.run(
                [candidate, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if candidate and told and told.stdout.strip() == version:
                here[version] = candidate
                break
    return here


def environment(folder: Path, interpreter: str, *requirements: str | Path) -> Path:
    """Make an environment with these requirements; return its folder of programs."""
    run(tool("uv"), "venv", "--quiet", "--python", interpreter, folder)
    run(tool("uv"), "pip", "install", "--quiet", "--python", folder / "bin" / "python", *requirements)
    return folder / "bin"


def smoke(programs: Path, version: str, *, extras: bool) -> None:
    """Try the installed command and library from a folder that holds neither."""
    assert run(programs / "outscore", "--version").strip() == version
    said = " ".join(run(programs / "outscore", "compare", *COMPARISON).split())  # lines are broken to the width
    assert "p = 0.00033, exact" in said, said
    skill = Path(run(programs / "outscore", "skill").strip())
    assert {path.name for path in skill.iterdir()} == {"SKILL.md", "llms.txt"}
    code = "import outscore; print(outscore.compare([1, 0, 0, 1], [1, 1, 0, 1], metric='accuracy'))"
    assert "verdict" in run(programs / "python", "-W", "error", "-c", code)
    done = subprocess.run([programs / "outscore", *BLEU], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if extras else 2), done
    assert extras or "pip install sacrebleu" in done.stderr, done


def tests(programs: Path, *names: str) -> None:
    """Run tests of the sources against the installed wheel."""
    options = ["-o", "addopts=", "-o", "filterwarnings=", "-q", "-p", "no:cacheprovider"]
    run(programs / "python", "-m", "pytest", *options, *names, env={**os.environ, "PYTHONPATH": str(ROOT)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path)
    dist = parser.parse_args().dist
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        dist = dist or work / "dist"
        run(tool("uv"), "build", "--quiet", "--out-dir", dist.resolve(), ROOT)
        (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        run(tool("twine"), "check", "--strict", wheel, sdist)
        run(tool("check-wheel-contents"), wheel)
        with zipfile.ZipFile(wheel) as archive:
            inside = {"py.typed", "skills/outscore/SKILL.md", "skills/outscore/llms.txt"}
            assert {f"outscore/{name}" for name in inside} <= {*archive.namelist()}
        version = wheel.name.split("-")[1]
        everything = f"outscore[{','.join(EXTRAS)}] @ {wheel.resolve().as_uri()}"
        here = interpreters()
        oldest, newest = next(iter(here)), list(here)[-1]

        def try_on(name: str) -> None:
            smoke(environment(work / f"{name}-alone", here[name], wheel), version, extras=False)
            programs = environment(work / name, here[name], everything, "pytest", "hypothesis", "pandas>=2.2.2")
            smoke(programs, version, extras=True)
            tests(programs, *(["tests/frozen"] if name == newest else SAMPLE))
            print(f"Python {name}: the wheel works without extras and with all")

        def try_lowest_versions() -> None:
            lowest = work / "lowest.txt"
            chosen = [part for extra in EXTRAS for part in ("--extra", extra)]
            resolution = ("--resolution", "lowest-direct", "--python", here[oldest])
            run(tool("uv"), "pip", "compile", "--quiet", *resolution, "pyproject.toml", *chosen, "-o", lowest)
            programs = environment(
                work / "lowest", here[oldest], "-r", lowest, wheel, "pytest", "hypothesis", "pandas==2.2.2"
            )
            smoke(programs, version, extras=True)
            tests(programs, "tests/frozen", "tests/laws/executors")
            print(f"Python {oldest}, lowest versions of all packages: the wheel works")

        # Two at a time: each uses one core. The longest two first.
        with ThreadPoolExecutor(2) as pool:
            started = [pool.submit(try_lowest_versions)]
            started += [pool.submit(try_on, name) for name in reversed(here)]
            try:
                for ended in as_completed(started):
                    ended.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        missing = [name for name in VERSIONS if name not in here]
        print(f"checked {wheel.name} and {sdist.name}{'; not here: Python ' + ', '.join(missing) if missing else ''}")


if __name__ == "__main__":
    main()
