"""Python in a clone, and editable installs: the sources find the library that is theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import pytest

import pyale_ma

CLONE = Path(__file__).parents[2]
WHERE = "import pyale_ma; print(pyale_ma.__file__, pyale_ma._native.library_path())"


def python(
    *arguments: str | Path, cwd: Path, executable: Path | str = sys.executable, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, which it imports from first, as a person who starts it there."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONSAFEPATH", "PYALE_MA_LIBRARY")
    }
    return subprocess.run(
        [executable, *arguments],
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A clone that may be changed: what a build needs."""
    folder = tmp_path / "clone"
    skipped = shutil.ignore_patterns("__pycache__", "*.so", "*.dylib", "*.dll")
    for name in ("libale", "pyale_ma", "tools", "web"):
        shutil.copytree(CLONE / name, folder / name, ignore=skipped)
    for name in ("LICENSE", "README.md", "meson.build", "meson.options", "pyproject.toml"):
        shutil.copy(CLONE / name, folder)
    return folder


def test_python_in_a_clone(sources: Path) -> None:
    result = python("-c", WHERE, cwd=sources)
    assert result.stderr == ""
    package, library = result.stdout.split()
    assert Path(package) == sources / "pyale_ma" / "__init__.py"
    assert Path(library).is_file()
    assert sources not in Path(library).parents


def test_a_clone_of_which_nothing_is_installed(sources: Path) -> None:
    code = "import sys, numpy; sys.path[1:] = [p for p in sys.path[1:] if 'site-packages' not in p]"
    result = python("-c", f"{code}; {WHERE}", cwd=sources)
    assert f"pyale_ma's library is missing: {sources}" in result.stderr
    assert f"In {sources}, run again: pip install . (or pip install -e ." in result.stderr


def test_a_clone_of_another_version(sources: Path) -> None:
    declarations = sources / "pyale_ma" / "_native" / "abi.py"
    text = declarations.read_text(encoding="utf-8")
    other = text.replace(f'VERSION = "{pyale_ma.__version__}"', 'VERSION = "77.0"')
    declarations.write_text(other, encoding="utf-8")
    library = pyale_ma._native.library_path()
    result = python("-c", WHERE, cwd=sources, PYALE_MA_LIBRARY=library)
    assert f"{library} (version {pyale_ma.__version__}) was not built from" in result.stderr
    assert "(version 77.0)" in result.stderr


def test_what_is_tested_is_installed() -> None:
    installed = Path(str(distribution("pyale_ma").locate_file("pyale_ma/__init__.py")))
    if not installed.exists():
        pytest.skip("the install is editable")
    assert Path(pyale_ma.__file__) == installed


@pytest.mark.slow
@pytest.mark.parametrize("isolated", [True, False])
def test_editable_install(isolated: bool, sources: Path, tmp_path: Path) -> None:
    """It works when the environment of its build is gone, and shows changes of the sources."""
    options = ["--ignore-installed", "--no-deps", "--disable-pip-version-check"]
    options += ["--config-settings=setup-args=-Dbuildtype=debug"]  # compiled sooner
    if not isolated:
        pytest.importorskip("mesonpy")
        options.append("--no-build-isolation")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    executable = venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    (packages,) = venv.glob("**/site-packages")
    below = sorted({folder for folder in sys.path if folder.endswith("site-packages")})
    (packages / "zz_below.pth").write_text("\n".join(below))  # the needed packages; read last
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    command: tuple[str | Path, ...] = ("-m", "pip", "install", *options, "-e", sources)
    done = python(*command, cwd=tmp_path, executable=executable, PATH=path)
    if isolated and "No matching distribution found" in done.stderr:
        pytest.skip("no package index")
    assert done.returncode == 0, done.stderr

    with (sources / "pyale_ma" / "__init__.py").open("a") as file:
        file.write("print('changed')\n")
    result = python("-c", WHERE, cwd=tmp_path, executable=executable)
    assert result.stderr == ""
    changed, package, library = result.stdout.split()
    assert changed == "changed"
    assert Path(package) == sources / "pyale_ma" / "__init__.py"
    assert packages in Path(library).parents
    demo = ("-m", "pyale_ma", "demo", "--frames", "9", "-o", tmp_path / "film.gif")
    result = python(*demo, cwd=tmp_path, executable=executable)
    assert result.returncode == 0, result.stderr

    with (sources / "pyale_ma" / "_native" / "abi.py").open("a") as file:
        file.write("NEW = 1\n")
    result = python("-c", WHERE, cwd=tmp_path, executable=executable)
    assert "was not built from these sources" in result.stderr
