#!/usr/bin/env python3
"""Makes the locks of this folder again from the requirements files: update.py [--upgrade]. It needs uv.
Without --upgrade, versions stay as they are locked, as far as the requirements files let them."""
import pathlib
import re
import subprocess
import sys
import tomllib

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
BUILD, PYTHON = ["requirements.txt"], ["requirements-python.txt"]
# Each lock: what it is made of, for which Python, and the lock that its packages are added to.
LOCKS = {"requirements.txt": (BUILD, "3.10", None),
         "requirements-plots.txt": (["requirements-plots.txt"], "3.10", None),
         "requirements-check.txt": (["requirements-check.txt"], "3.10", None),
         "requirements-python.txt": (BUILD + PYTHON, "3.11.5", "requirements.txt"),
         "requirements-release.txt": (BUILD + PYTHON + ["requirements-release.txt"], "3.11.5",
                                      "requirements-python.txt"),
         "requirements-site.txt": (["requirements-site.txt"], "3.11.5", None)}


def hashes_of(package):
    """Those of the files that pip takes on the systems that `./dev` knows: CPython on Linux with glibc, on
    x86-64 and ARM. It takes an archive of sources only where no wheel serves."""
    wheels = {wheel["url"].rsplit("/", 1)[1]: wheel for wheel in package.get("wheels", [])}
    serves = r"-any\.whl|manylinux\S*(x86_64|aarch64)\.whl"
    of_others = r"-cp3\d-cp3\d|-pp\d|-cp\d+t-"  # before 3.10, PyPy, without the global lock
    files = [wheels[name] for name in wheels if re.search(serves, name) and not re.search(of_others, name)]
    if "sdist" in package and not any(name.endswith("-none-any.whl") for name in wheels):
        files.append(package["sdist"])
    return sorted(file["hashes"]["sha256"] for file in files)


def resolved(sources, python, kept):
    command = ["uv", "pip", "compile", "-q", "--universal", "--no-header", "--format", "pylock.toml",
               "--python-version", python, *kept, *sources]
    return tomllib.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=root).stdout)


def main():
    locked = {}  # the packages of each lock, with those of the locks that it adds to
    for name, (sources, python, base) in LOCKS.items():
        kept = [] if "--upgrade" in sys.argv else ["--constraint", here / name]
        packages = {}
        for package in resolved(sources, python, kept)["packages"]:
            marker = f" ; {package['marker']}" if "marker" in package else ""
            packages[f"{package['name']}=={package['version']}"] = \
                marker + "".join(f" --hash=sha256:{one}" for one in hashes_of(package))
        text = f"-r {base}\n" if base else ""
        for package, rest in packages.items():
            text += package + rest + "\n" if package not in locked.get(base, {}) else ""
        locked[name] = packages
        (here / name).write_text(text)


if __name__ == "__main__":
    main()
