"""Builds the wheel of mpivet from an installation of it, and is the build backend of `pip install ./python` (PEP 517).

The same input gives the same bytes: entries are sorted, modes are fixed, times are SOURCE_DATE_EPOCH or the beginning of 1980.
In the wheel, bin/ and lib/ of the installation are in the package, beside each other as mpivet wants them, since `pip install
--target` loses a lib/ elsewhere; include/ and share/ (pages of the manual, completions, the package of CMake) go to those of
the environment.
"""

import argparse
import base64
import hashlib
import io
import os
import pathlib
import re
import stat
import sys
import time
import zipfile
from typing import Any, Dict, List, Optional

try:
    import tomllib
except ImportError:  # Python 3.10 and older
    import tomli as tomllib  # type: ignore

HERE = pathlib.Path(__file__).resolve().parent
TAG = "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64"
# The tag of a wheel without executables.
PURE_TAG = "py3-none-any"
# Directories of an installation that belong into the package.
IN_PACKAGE = ("bin", "lib")
# And those that belong into the environment.
IN_ENVIRONMENT = ("include", "share")
# Installed as `mpivet` in the directory of programs; the first line becomes that of the interpreter.
SCRIPT = '''#!python
"""Becomes the mpivet of the package `mpivet`, also where `pip install --target` has put both."""
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from mpivet._command import main

sys.exit(main())
'''


def project() -> Dict[str, Any]:
    """The table [project] of pyproject.toml."""
    with open(HERE / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def version() -> str:
    """The version of the workspace, as Python spells it: 1.2.0-rc.1 is 1.2.0rc1 (PEP 440)."""
    with open(HERE.parent / "Cargo.toml", "rb") as file:
        cargo = tomllib.load(file)["workspace"]["package"]["version"]
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", cargo)
    if not found:
        raise SystemExit(f"package-wheel: version {cargo} of Cargo.toml has no counterpart in Python")
    number, stage, count = found.groups()
    return number if not stage else f"{number}{ {'alpha': 'a', 'beta': 'b', 'rc': 'rc'}[stage] }{count}"


def metadata() -> str:
    """METADATA: core metadata 2.1."""
    of = project()
    lines = ["Metadata-Version: 2.1", f"Name: {of['name']}", f"Version: {version()}", f"Summary: {of['description']}"]
    lines += [f"Keywords: {','.join(of['keywords'])}", f"License: {of['license']}"]
    lines += [f"Classifier: {classifier}" for classifier in of["classifiers"]]
    lines += [f"Requires-Python: {of['requires-python']}"]
    for extra, needs in of["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / of["readme"]).read_text("utf-8")]
    return "\n".join(lines)


def entry_points() -> str:
    groups = project()["entry-points"].items()
    return "".join(f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in names.items()) for group, names in groups)


class Wheel:
    """The files of a wheel, by their names in it."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.stem = f"mpivet-{version()}"
        self.files: Dict[str, bytes] = {}
        self.executable: set = set()

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        self.files[name] = data
        if executable:
            self.executable.add(name)

    def add_tree(self, top: pathlib.Path, place: str) -> None:
        """Adds all files below `top`; links become what they point to."""
        for path in sorted(top.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                is_executable = bool(path.stat().st_mode & stat.S_IXUSR)
                self.add(f"{place}/{path.relative_to(top).as_posix()}", path.read_bytes(), is_executable)

    def add_metadata(self) -> None:
        info = f"{self.stem}.dist-info"
        python, abi, platforms = self.tag.split("-")
        tags = [f"Tag: {python}-{abi}-{platform}" for platform in platforms.split(".")]
        pure = "true" if self.tag == PURE_TAG else "false"
        head = ["Wheel-Version: 1.0", "Generator: mpivet", f"Root-Is-Purelib: {pure}"]
        self.add(f"{info}/METADATA", metadata().encode())
        self.add(f"{info}/WHEEL", "\n".join([*head, *tags, ""]).encode())
        self.add(f"{info}/entry_points.txt", entry_points().encode())
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            self.add(f"{info}/{name}", (HERE.parent / name).read_bytes())
        record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in sorted(self.files.items())]
        self.add(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode())

    def write(self, directory: pathlib.Path) -> pathlib.Path:
        """Writes the file, or nothing if that fails; its path."""
        self.add_metadata()
        epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)
        when = time.gmtime(epoch)[:6]
        bytes_ = io.BytesIO()
        with zipfile.ZipFile(bytes_, "w") as archive:
            # Metadata last, as the specification of wheels recommends.
            for name in sorted(self.files, key=lambda name: (".dist-info/" in name, name)):
                entry = zipfile.ZipInfo(name, when)
                entry.create_system = 3
                mode = 0o755 if name in self.executable else 0o644
                entry.external_attr = (stat.S_IFREG | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, self.files[name], zipfile.ZIP_DEFLATED, 9)
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{self.stem}-{self.tag}.whl"
        partial = path.with_suffix(".partial")
        partial.write_bytes(bytes_.getvalue())
        partial.replace(path)
        return path


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build(prefix: Optional[pathlib.Path], directory: pathlib.Path, tag: str) -> pathlib.Path:
    """Writes the wheel with the installation at `prefix`, without one if that is None, into `directory`; its path."""
    wheel = Wheel(tag)
    wheel.add_tree(HERE / "src/mpivet", "mpivet")
    wheel.add(f"{wheel.stem}.data/scripts/mpivet", SCRIPT.encode(), executable=True)
    if prefix is not None:
        for needed in ("bin/mpivet", "lib/libmpivet.so", "share/man/man1/mpivet.1"):
            if not (prefix / needed).is_file():
                raise SystemExit(f"package-wheel: {prefix} has no {needed}: scripts/install --built {prefix} makes it")
        for part in IN_PACKAGE:
            wheel.add_tree(prefix / part, f"mpivet/_files/{part}")
        for part in IN_ENVIRONMENT:
            wheel.add_tree(prefix / part, f"{wheel.stem}.data/data/{part}")
    return wheel.write(directory)


def get_requires_for_build_wheel(config_settings: Optional[dict] = None) -> List[str]:
    return []


def build_wheel(
    wheel_directory: str, config_settings: Optional[dict] = None, metadata_directory: Optional[str] = None
) -> str:
    """PEP 517. With MPIVET_PREFIX, the installation there becomes part of the wheel."""
    prefix = os.environ.get("MPIVET_PREFIX")
    tag = "py3-none-linux_x86_64" if prefix else PURE_TAG
    return build(pathlib.Path(prefix) if prefix else None, pathlib.Path(wheel_directory), tag).name


def build_sdist(sdist_directory: str, config_settings: Optional[dict] = None) -> str:
    raise NotImplementedError("the source of mpivet is its repository")


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="package-wheel", description="Builds the wheel of mpivet, and prints its path.")
    parser.add_argument("prefix", type=pathlib.Path, help="an installation: bin/, lib/, include/, share/")
    parser.add_argument("directory", type=pathlib.Path, help="where the wheel goes")
    parser.add_argument("--tag", default=TAG, help="Python, ABI and platforms of its name (default: %(default)s)")
    given = parser.parse_args(arguments)
    print(build(given.prefix.resolve(), given.directory, given.tag))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
