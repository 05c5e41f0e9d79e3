"""The code of the documents runs, page by page, and everything that the package offers is documented."""

import doctest
import importlib
import inspect
import pathlib
import re

import pytest

import tilewright

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", "docs/PYTHON.md", "python/README.md"]
PAGES += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/tutorials").glob("*.md"))


def code_of(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)])
def test_code_of(page, tmp_path, monkeypatch):
    if "zarr" in "".join(code_of(page)):
        pytest.importorskip("zarr")
        pytest.importorskip("dask.array")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for number, block in enumerate(code_of(page), 1):
        exec(compile(block, f"block {number} of {page}", "exec"), names)


def test_everything_is_documented():
    things = {name: getattr(tilewright, name) for name in tilewright.__all__}
    for name, thing in list(things.items()):
        if isinstance(thing, type):
            members = {member: value for member, value in vars(thing).items() if not member.startswith("_")}
            things |= {f"{name}.{member}": value for member, value in members.items()}
    things.pop("operators")  # a dict
    assert [name for name, thing in things.items() if not (getattr(thing, "__doc__", "") or "").strip()] == []


# Every public function says what it gives and raises, and its example is right.
@pytest.mark.parametrize("module", ["", ".ndimage", ".bands", ".dask", ".jax"])
def test_docstrings(module):
    package = {".bands": "zarr", ".dask": "dask.array", ".jax": "jax"}.get(module)
    if package:
        pytest.importorskip(package, reason=f"{package} is not installed")
    found = importlib.import_module("tilewright" + module)
    for name in found.__all__:
        thing = getattr(found, name)
        words = inspect.getdoc(thing) or ""
        if callable(thing) and not inspect.isclass(thing):
            for section in ("Returns", "Raises", *(["Examples"] if module != ".jax" else [])):
                assert f"\n{section}\n{'-' * len(section)}\n" in words, f"{name}: {section}"
        tests = doctest.DocTestParser().get_doctest(words, {}, name, None, 0)
        assert doctest.DocTestRunner().run(tests).failed == 0, name
