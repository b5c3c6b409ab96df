"""A PEP 517 build backend for this one package, in the standard library only.

`pip install` downloads the build backend that pyproject.toml names unless that list is empty. A package of plain Python files and data needs no
more than a zip archive with three metadata files, so the backend is this file and an install works offline, with build isolation and
without setuptools.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "uwbench"
#: A fixed time stamp: equal sources give equal archives.
WHEN = (2020, 1, 1, 0, 0, 0)


def _field(name):
    """Returns a string of pyproject.toml by its name; Python 3.9 and 3.10 have no TOML reader."""
    found = re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml: expected a line {name} = \"...\", found none")
    return found.group(1)


def _extras():
    text = (HERE / "pyproject.toml").read_text("utf-8")
    section = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    return {name: re.findall(r'"([^"]+)"', names) for name, names in re.findall(r"^(\w+) = \[(.*)\]$", section, re.MULTILINE)}


def _metadata():
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PACKAGE}",
        f"Version: {_field('version')}",
        f"Summary: {_field('description')}",
        "License: Apache-2.0",
        f"Requires-Python: {_field('requires-python')}",
        "Description-Content-Type: text/markdown",
    ]
    for extra, names in _extras().items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names)]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text("utf-8")


def _stem():
    return f"{PACKAGE}-{_field('version')}"


def _info_files():
    info = f"{_stem()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    points = f"[pytest11]\n{PACKAGE} = {PACKAGE}.pytest_plugin\n"
    return {f"{info}/METADATA": _metadata(), f"{info}/WHEEL": wheel, f"{info}/entry_points.txt": points}


def _sources():
    files = sorted(file for pattern in ("*.py", "*.json") for file in (HERE / PACKAGE).rglob(pattern))
    return {str(file.relative_to(HERE).as_posix()): file.read_bytes() for file in files}


def _write_wheel(folder, files):
    name = f"{_stem()}-py3-none-any.whl"
    record = f"{_stem()}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(data)}")
            archive.writestr(zipfile.ZipInfo(path, WHEN), data, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(record, WHEN), "\n".join([*rows, f"{record},,"]) + "\n")
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def get_requires_for_build_editable(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {**_sources(), **_info_files()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {f"{PACKAGE}.pth": f"{HERE}\n", **_info_files()})


def build_sdist(sdist_directory, config_settings=None):
    name = f"{_stem()}.tar.gz"
    extra = {file: (HERE / file).read_bytes() for file in ("pyproject.toml", "wheel_backend.py", "README.md")}
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in {"PKG-INFO": _metadata().encode(), **extra, **_sources()}.items():
            entry = tarfile.TarInfo(f"{_stem()}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name
