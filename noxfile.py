"""The checks of this project, as sessions of nox.

    pip install nox
    nox -s quick                 the quick tests
    nox -s style types           some checks
    nox --list                   all, and what each is for

Sessions run in the environment that has nox, and install there what they lack.  Builds stay in
`build-checks/`, so that a later run compiles only what changed.  A session that needs a program
that is not there says so and is skipped; with CI_STRICT=1 it fails.  `.ci/packages` lists the
programs, `.ci/run` says which sessions run before a change lands.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import nox

CLONE = Path(__file__).resolve().parent
BUILDS = CLONE / "build-checks"
TIMES = BUILDS / "times"  # a file for each session: what tools/times.py compares
PARTS = 5  # the sweeps and the tests of adapters are cut into so many; a landing runs one
PROJECT = nox.project.load_toml(CLONE / "pyproject.toml")["project"]
EXTRAS = PROJECT["optional-dependencies"]
os.environ |= {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "SDL_AUDIODRIVER": "dummy",
    "SDL_VIDEODRIVER": "dummy",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    # Tests use all processors already; training libraries must not wait for each other's threads.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

nox.options.default_venv_backend = "none"
nox.options.sessions = ["style", "types", "quick", "c_addresses"]


def check(function: Callable[[nox.Session], None]) -> object:
    """Make a session of a function, which also writes the processor time it took."""

    @functools.wraps(function)
    def timed(session: nox.Session) -> None:
        before = os.times()
        function(session)
        after = os.times()
        spent = sum(after[:4]) - sum(before[:4])
        session.log(
            f"{session.name}: {after.elapsed - before.elapsed:.0f} s, processors {spent:.0f} s"
        )
        TIMES.mkdir(parents=True, exist_ok=True)
        (TIMES / f"{session.name}.txt").write_text(f"{spent:8.1f} {session.name}\n")

    return nox.session(timed, name=function.__name__)


def install(session: nox.Session, *requirements: str) -> None:
    """Install what is missing."""
    session.run("python", "-m", "pip", "install", "--quiet", *requirements)
    importlib.invalidate_caches()


def install_package(session: nox.Session, *extras: str) -> None:
    """Install the extras, and the package from this clone if none is there."""
    try:
        importlib.metadata.version("pyale_ma")
        name = "pyale_ma"
    except importlib.metadata.PackageNotFoundError:
        name = "."
    # What is built for these has the player for browsers, which takes a minute to compile.
    has_player = name == "." and not {"docs", "release"}.isdisjoint(extras)
    player = ["--config-settings=player=true"] if has_player else []
    install(session, *player, f"{name}[{','.join(extras)}]")


def requirements(extra: str, name: str) -> list[str]:
    """Return the requirements of an extra that begin with a name."""
    return [each for each in EXTRAS[extra] if each.startswith(name)]


def need(session: nox.Session, *tools: str) -> None:
    """Skip the session if a program is missing."""
    for tool in tools:
        if not shutil.which(tool):
            said = f"there is no {tool} here, which {session.name} needs"
            session.error(said) if os.environ.get("CI_STRICT") == "1" else session.skip(said)


def roms(session: nox.Session) -> Path:
    """Return the folder of ROM images that ale-py brings."""
    install(session, *requirements("test", "ale-py"))
    spec = importlib.util.find_spec("ale_py")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "roms")


def rom(session: nox.Session) -> str:
    """Return a ROM image."""
    return str(roms(session) / "breakout.bin")


def folder(session: nox.Session) -> Path:
    """Return an empty folder of the session's."""
    path = BUILDS / session.name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def output(*command: str | Path) -> str:
    """Return what a program prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def run_tests(
    session: nox.Session, *arguments: str, python: str = "python", **options: object
) -> None:
    """Run pytest; the longest tests are written to a file.  A test that hangs says where."""
    TIMES.mkdir(parents=True, exist_ok=True)
    times = f"--times={TIMES / session.name}.tests.txt"
    hanging = "-ofaulthandler_timeout=600"
    session.run(python, "-m", "pytest", times, hanging, *arguments, **options)


def part() -> list[str]:
    """Return the option that takes a part of the tests; with CI_ALL=1 there is none."""
    if os.environ.get("CI_ALL") == "1":
        return []
    commit = output("git", "rev-parse", "HEAD").strip()
    return [f"--part={zlib.crc32(commit.encode()) % PARTS}/{PARTS}"]


# ---- Python --------------------------------------------------------------------------------------


@check
def style(session: nox.Session) -> None:
    """Ruff, the layout of C, and the order of rooms in Python and C."""
    install(session, *requirements("dev", "ruff"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run(".ci/layout")
    session.run("python", "tools/rooms.py")
    session.run("python", ".ci/includes.py")


@check
def types(session: nox.Session) -> None:
    """Run mypy over the package and the tests; it looks into no training library."""
    install_package(session, "test-core")
    install(session, *requirements("dev", "mypy"), *requirements("test", "matplotlib"))
    session.run("mypy")


@check
def readme(session: nox.Session) -> None:
    """The commands of README.md."""
    install_package(session, "human")
    session.chdir(folder(session))
    said = output("pyale-ma", "demo", "--frames", "60")
    assert len(re.findall(r"^  \w+_0 +[+-]\d+$", said, re.MULTILINE)) == 4, said
    session.run("pyale-ma", "record", "breakout", "--frames", "60", "-o", "breakout.gif")
    for film in ("quartet_v0.gif", "breakout.gif"):  # a second, in the shape of a screen
        look = (
            f"from PIL import Image, ImageSequence; film = Image.open('{film}'); "
            "print(*film.size, sum(it.info['duration'] for it in ImageSequence.Iterator(film)))"
        )
        assert output(sys.executable, "-c", look) == "320 210 1000\n", film


@check
def quick(session: nox.Session) -> None:
    """Run the quick tests."""
    install_package(session, "test", "human")
    run_tests(session, *session.posargs)


@check
def sweeps(session: nox.Session) -> None:
    """Run a part of the slow tests, by the hash of the commit; with CI_ALL=1 all."""
    install_package(session, "test", "human")
    run_tests(session, "-m", "slow", *part())


@check
def lower_bounds(session: nox.Session) -> None:
    """Run the quick tests with the lowest versions that pyproject.toml allows.

    Takes Python 3.10 where there is one.  The packages that we are compared with and the optional
    ones (PyTorch, JAX) are not installed; tests that need one of them are skipped.
    """
    venv = folder(session)
    oldest = "3.10" if shutil.which("python3.10") else ""
    session.run(f"python{oldest}", "-m", "venv", venv)
    python = str(venv / "bin" / "python")
    pip = (python, "-m", "pip", "install", "--quiet", "--no-compile")
    session.run(*pip, "--no-deps", ".")
    needed = [*PROJECT["dependencies"], *EXTRAS["human"], *EXTRAS["film"]]
    for each in needed:  # where a new Python has no such version, the newest is taken below
        lowest = each.replace(">=", "==", 1)
        session.run(*pip, "--only-binary=:all:", lowest, success_codes=[0, 1])
    session.run(*pip, *needed, *EXTRAS["test-core"])
    lowest = EXTRAS["roms"][0].replace(">=", "==")
    session.run(*pip, "--no-deps", "--target", venv / "roms", lowest)  # ROM images alone
    session.run(python, "-m", "pip", "list")
    # What needs no ROM file but Quartet's, where there is no other; then the rest.
    on_quartet = ["tests/games/test_quartet.py", "tests/evaluation/test_evaluation.py"]
    run_tests(session, "-q", "-rs", *on_quartet, python=python)
    # What games compute depends on no other package, nor are benchmarks installed.
    left_out = "checksums differential spec benchmarks multi/test_check_values.py "
    left_out += "multi/test_scores_on_screen.py cards/test_cards_against_games.py "
    options = [f"--ignore=tests/{name}" for name in left_out.split()]
    options += [f"--ignore={name}" for name in on_quartet]
    options += ["--deselect=tests/labels/test_named_boxes.py::test_boxes_in_play"]
    options += ["--deselect=tests/single/test_corrected_rules.py::test_ordinary_play_is_the_same"]
    env = {"PYALE_MA_ROMS": str(venv / "roms" / "ale_py" / "roms")}
    run_tests(session, "-q", "-rs", *options, python=python, env=env)


# ---- C -------------------------------------------------------------------------------------------


def c_tests(
    session: nox.Session, *options: str, tests: str = "", env: dict[str, str] | None = None
) -> Path:
    """Build and run the C tests, all or some; returns the folder of the build.

    What is built here runs for seconds: it is optimised little, and knows its lines but not its
    variables.
    """
    install(session, "meson", "ninja")
    build = BUILDS / session.name
    env = {"CFLAGS": "-g1", "ALE_TEST_ROMS": str(roms(session)), **(env or {})}
    setup = ["meson", "setup", str(build), *(["--reconfigure"] if build.exists() else [])]
    defaults = ["-Dbuildtype=debugoptimized", "-Db_lundef=false"]
    session.run(*setup, *defaults, *options, env=env, silent=True)
    targets = [f"libale/tests/{name}" for name in tests.split()]
    session.run("ninja", "-C", build, *targets, env=env, silent=True)
    run = ["meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"]
    session.run(*run, "--timeout-multiplier=8", *tests.split(), env=env)
    return build


@check
def c_addresses(session: nox.Session) -> None:
    """All C tests under the address, leak and undefined-behaviour sanitizers."""
    c_tests(session, "-Doptimization=1", "-Db_sanitize=address,undefined")


@check
def c_threads(session: nox.Session) -> None:
    """The C tests that have threads, under the thread sanitizer; planted_race must fail."""
    tests = "test_api test_limits test_memory test_policy test_pool test_ram_code test_reset_cache "
    tests += "test_shared_frames test_stretches test_vector planted_race"
    c_tests(session, "-Doptimization=1", "-Db_sanitize=thread", tests=tests)


# A quarter of the games and of the turns at random; c_addresses takes all of them.
QUARTER = {"ALE_TEST_EVERY": "4", "ALE_TEST_SHARE": "4"}


def clang(session: nox.Session) -> str:
    """Return the name of a Clang of any version."""
    names = ["clang", *(f"clang-{version}" for version in range(30, 10, -1))]
    name = next((name for name in names if shutil.which(name)), "clang")
    need(session, name)
    return name


@check
def c_clang(session: nox.Session) -> None:
    """The C tests under sanitizers that GCC lacks.

    They find floats too large for an integer, and values that an assignment cuts off or that change
    their sign.  Unsigned numbers that wrap around are meant to.
    """
    flags = "-g1 -fsanitize=float-cast-overflow,integer -fno-sanitize-recover=all "
    flags += "-fno-sanitize=unsigned-integer-overflow,unsigned-shift-base"
    env = {"CC": clang(session), "CFLAGS": flags, **QUARTER}
    c_tests(session, "-Doptimization=1", "-Db_sanitize=undefined", env=env)


@check
def c_valgrind(session: nox.Session) -> None:
    """What machine code reads and writes, of which sanitizers see nothing."""
    need(session, "valgrind")
    install(session, "meson", "ninja")
    build, program = folder(session), "libale/tests/test_random_roms"
    session.run("meson", "setup", build, "-Dbuildtype=debugoptimized", silent=True)
    session.run("ninja", "-C", build, program, silent=True)
    env = {"ALE_TEST_SHARE": "8"}  # some random images in every scheme
    session.run("valgrind", "--quiet", "--error-exitcode=1", build / program, env=env)


@check
def c_instructions(session: nox.Session) -> None:
    """Count host instructions of the main loops, which must be those on record."""
    need(session, "valgrind")
    install_package(session, "roms")
    session.run("python", "benchmarks/instructions.py", "--roms", roms(session))


@check
def c_fuzz(session: nox.Session) -> None:
    """Fuzz, 20 seconds for each target."""
    install(session, "meson", "ninja")
    env = {"FUZZ_BUILD": str(BUILDS / session.name), "CLANG": clang(session), "CFLAGS": "-g1"}
    session.run("libale/fuzz/run.sh", "20", env=env)


@check
def c_coverage(session: nox.Session) -> None:
    """Measure how much of the library outside games/ the C tests reach."""
    install(session, *requirements("dev", "gcovr"))
    build = c_tests(session, "-Doptimization=1", "-Db_coverage=true", env=QUARTER)
    # What this processor cannot run is not counted.
    if "avx512bw" not in Path("/proc/cpuinfo").read_text():
        for path in build.rglob("*avx512*.gc*"):
            path.unlink()
    # Gcov of GCC 12 counts some lines far too often (GCC bug 68080): no error for gcovr.
    counts = "--gcov-ignore-parse-errors=suspicious_hits.warn_once_per_file"
    least = ("--fail-under-line", "98", "--fail-under-branch", "92")
    where = ("--root", "libale", "--object-directory", str(build))
    left_out = ("--exclude", ".*/(fuzz|games|tests)/.*")
    session.run("gcovr", *where, *left_out, "--txt-summary", counts, *least)


def emulated(session: nox.Session, *options: str, tests: str = "", **env: str) -> Path:
    """Run the C tests on another processor: one line of the checksums out of twenty."""
    cross = f"--cross-file=.ci/{session.name.removeprefix('c_')}.ini"
    env = {"ALE_TEST_EVERY": "20", "ALE_TEST_SHARE": "4", **env}
    return c_tests(session, cross, "-Dwerror=true", *options, tests=tests, env=env)


def recordings(session: nox.Session) -> str:
    """Make a recording of each game for each number of players, to be played elsewhere."""
    install_package(session, "test")
    made = BUILDS / "recordings"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    env = {"PYTHONPATH": f"{CLONE / 'tests'}{os.pathsep}{CLONE / 'tests' / 'support'}"}
    with session.chdir(made):
        session.run("python", "-m", "recording.all_games", made, env=env)
    return str(made)


@check
def c_aarch64(session: nox.Session) -> None:
    """AArch64, for which another translator writes machine code."""
    need(session, "aarch64-linux-gnu-gcc", "qemu-aarch64")
    tests = "test_api test_cartridge test_checksums test_choice test_engine test_environment "
    tests += "test_long_frames test_memory test_policy test_preprocess test_ram_code "
    tests += "test_random_roms test_random_states test_recordings test_states test_templates "
    tests += "test_video"
    emulated(session, tests=tests, ALE_TEST_RECORDINGS=recordings(session))


@check
def c_s390x(session: nox.Session) -> None:
    """A processor whose numbers begin with the high byte."""
    need(session, "s390x-linux-gnu-gcc", "qemu-s390x")
    tests = "test_api test_cartridge test_checksums test_environment test_memory test_policy "
    tests += "test_recordings test_vector_refusals test_video"
    emulated(session, tests=tests, ALE_TEST_RECORDINGS=recordings(session))


@check
def c_armhf(session: nox.Session) -> None:
    """A processor of 32 bits."""
    need(session, "arm-linux-gnueabihf-gcc", "qemu-arm")
    tests = "test_api test_cartridge test_checksums test_environment test_memory test_policy "
    tests += "test_vector_refusals"
    emulated(session, tests=tests)


@check
def c_windows(session: nox.Session) -> None:
    """Windows, as it ships, under Wine; what the DLL exports and needs; the C example with it."""
    gcc, objdump = "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-objdump"
    need(session, gcc, "wine")
    env = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    env["WINEPREFIX"] = str(BUILDS / "wine")
    session.env.update(env)
    (BUILDS / "wine").mkdir(parents=True, exist_ok=True)
    # Not silent: what these start would keep the pipe open whose end nox waits for.
    session.run("wineserver", "-p")
    try:
        session.run("wineboot", "--init")
        built = emulated(session, "-Dbuildtype=release") / "libale"
        said = output(objdump, "-p", built / "ale-1.dll")
        table = said.split("\n[Ordinal/Name Pointer] Table", 1)[1].split("\n\n")[0]
        exports = sorted(line.split()[-1] for line in table.splitlines()[1:])
        names = {word.strip(" ;") for word in (CLONE / "libale/libale.map").read_text().split()}
        assert exports == sorted(name for name in names if name.startswith("ale_")), exports
        needed = {line.split()[-1].lower() for line in said.splitlines() if "DLL Name:" in line}
        assert needed <= {"advapi32.dll", "kernel32.dll", "msvcrt.dll"}, needed
        program, library = str(built / "play.exe"), (f"-L{built}", "-lale")
        warnings = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Ilibale/include")
        session.run(gcc, *warnings, "examples/c/play.c", "-o", program, *library)
        session.run("wine", program, rom(session), "1", env={"WINEPATH": str(built)})
    finally:
        session.run("wineserver", "-k", silent=True, success_codes=[0, 1])


@check
def c_example(session: nox.Session) -> None:
    """The examples in C and C++, built as docs/c-api.md says, play what the package plays."""
    need(session, "pkg-config", "c++", "cmake")
    install_package(session, "roms")
    install(session, "meson", "ninja")
    session.run(".ci/c_example", folder(session), rom(session))


# ---- In the browser, the site, the files of a release --------------------------------------------


@check
def browser(session: nox.Session) -> None:
    """The library as WebAssembly: its C tests in Node; then `pyale-ma web` in a browser."""
    need(session, "emcc", "node", "chromedriver")
    install_package(session, "test", "release")
    # Debian 12's emscripten 3.1.6: its programs import what lies beside them, and a module of
    # Node's, which Debian keeps elsewhere.
    env = {"NODE_PATH": "/usr/share/nodejs", "ALE_TEST_EVERY": "20", "ALE_TEST_SHARE": "4"}
    env["ALE_TEST_ROMS"] = str(roms(session))
    tests = "test_api test_cards test_cartridge test_checksums test_environment test_objects "
    tests += "test_palette test_states"
    build = folder(session)
    setup = ("meson", "setup", build, "--cross-file=.ci/wasm.ini", "-Dtranslate=false")
    session.run(*setup, env=env, silent=True)
    targets = [f"libale/tests/{name}.js" for name in tests.split()]
    session.run("ninja", "-C", build, *targets, env=env, silent=True)
    run = ("meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs")
    session.run(*run, "--timeout-multiplier=8", *tests.split(), env=env)
    session.run("python", "-m", "pytest", "-n", "0", "web/tests")


@check
def site(session: nox.Session) -> None:
    """The site, as a release publishes it on a branch of a repository of its own."""
    install_package(session, "docs")
    work = folder(session)
    session.run("git", "init", "--quiet", "--bare", work / "pages.git")
    env = {"REPOSITORY_URL": "https://github.com/example/pyale_ma", "GIT_COMMITTER_NAME": "ci"}
    env |= {"GIT_DIR": str(work / "pages.git"), "GIT_COMMITTER_EMAIL": "ci@localhost"}
    session.run("docs/site/publish", "1.0", "latest", env=env)
    archive = (
        "git",
        f"--git-dir={work / 'pages.git'}",
        "archive",
        f"--output={work / 'pages.tar'}",
    )
    session.run(*archive, "gh-pages")
    shutil.unpack_archive(work / "pages.tar", work / "pages")
    session.run("python", "docs/site/check.py", work / "pages" / "1.0")
    need(session, "chromedriver")
    session.run("python", "docs/site/look.py", work / "pages" / "1.0")


@check
def packages(session: nox.Session) -> None:
    """The files of a release: built by the documented commands, looked at, installed, and run."""
    install_package(session, "test", "release")
    session.run(".ci/wheels", rom(session))


# ---- Adapters ------------------------------------------------------------------------------------


@check
def adapters(session: nox.Session) -> None:
    """The adapters, each against its library: a part of their tests; with CI_ALL=1 all.

    Their environment lies over the one that runs nox and sees its packages; some of these libraries
    want older versions of them, which it then gets for itself.
    """
    install_package(session, "test")
    work = folder(session)
    session.run("python", "-m", "venv", work / "venv")
    paths = 'import sysconfig; print(sysconfig.get_path("purelib"))'
    python = str(work / "venv" / "bin" / "python")
    below = Path(output(python, "-c", paths).strip(), "below.pth")
    below.write_text(output(sys.executable, "-c", paths))
    pip = (python, "-m", "pip", "install", "--quiet", "--no-compile")
    alone = (*pip, "--no-deps")
    # One after the other: pip searches for many minutes for versions that suit all of them.  Ray,
    # which demands one version of Gymnasium, comes first.
    for requirement in sorted(EXTRAS["integrations"], key=lambda each: not each.startswith("ray")):
        session.run(*pip, requirement)

    # Libraries that pip cannot install beside the others as they are.  Each comment says what is
    # wrong with which version, the newest when this was written.  If there is a newer one (pip
    # index versions NAME), try it in the extra `integrations` first.

    # OCAtari 2.2.1 demands NumPy below 2, but runs with later ones.
    session.run(*alone, "ocatari==2.2.1", "termcolor", "scikit-image", "lazy-loader")

    # PufferLib 3.0.0 demands NumPy below 2, but runs with later ones.  It has no wheels, and its
    # build downloads libraries for games of its own; told not to (NO_OCEAN, NO_TRAIN), it misses
    # the name c_extension_paths.
    (work / "puffer").mkdir()
    patch = "import builtins; builtins.c_extension_paths = []\n"
    (work / "puffer" / "sitecustomize.py").write_text(patch)
    env = {"PYTHONPATH": str(work / "puffer"), "NO_OCEAN": "1", "NO_TRAIN": "1"}
    puffer = ("pufferlib==3.0.0", "gym==0.26.2", "gym-notices", "psutil")
    session.run(*alone, "--no-build-isolation", *puffer, env=env)

    # d3rlpy 2.8.1 demands one older version of Gymnasium, which it does not use for datasets.
    session.run(*pip, "scikit-learn", "tqdm", "click")
    d3rlpy = "d3rlpy==2.8.1 structlog colorama dataclasses-json marshmallow typing-inspect "
    session.run(*alone, *d3rlpy.split(), "mypy-extensions")

    # TorchWM 0.4.2 demands browsers and more that its vectors do not import.  They import gym,
    # which PufferLib has brought.
    session.run(*alone, "torchwm==0.4.2")

    # BenchMARL 1.5.2 imports SyncDataCollector, which TorchRL 0.14.1 no longer has: an older
    # TorchRL lies before the other one, for BenchMARL's tests alone.
    benchmarl = str(work / "benchmarl")
    session.run(*pip, "hydra-core==1.3.8", "pyvers", "orjson", "importlib-metadata", "tqdm")
    older = ("benchmarl==1.5.2", "torchrl==0.11.1", "tensordict==0.11.0")
    session.run(*alone, "--target", benchmarl, *older)

    # Ray 2.60 makes its workers, which have deadlines, nicer than the tests that run beside them.
    session.env["RAY_worker_niceness"] = "0"
    session.env["PYTHONPYCACHEPREFIX"] = str(work / "pycache")
    (work / "empty").mkdir()
    session.chdir(work / "empty")  # nothing to import lies here; in the clone, there is `pyale_ma`
    # A test whose library cannot be imported is left out without a word.
    names = "pufferlib.vector, ocatari.core, d3rlpy, minari, h5py, pyspiel, world_models.envs"
    session.run(python, "-c", f"import {names}")
    session.run(python, "-c", "import benchmarl", env={"PYTHONPATH": benchmarl})
    tests, share = CLONE / "tests", part()
    guides = [str(tests / "documents" / f"test_{name}.py") for name in ("guides", "docstrings")]
    chosen = "integrations or cleanrl or distributed or moving or ocatari"
    files = [str(tests / "integrations"), *guides, str(tests / "compat" / "test_ale_py_shim.py")]
    run_tests(session, "-n0", "-rs", "-k", chosen, *share, *files, python=python)
    files = [str(tests / "integrations" / "test_benchmarl.py"), *guides]
    env = {"PYTHONPATH": benchmarl}
    run_tests(session, "-n0", "-rs", "-k", "benchmarl or BenchMARL", *files, python=python, env=env)
