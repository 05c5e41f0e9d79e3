#!/usr/bin/env python3
"""Every package that `./dev` installs by pip is locked: with the version that its requirements file names,
and with hashes. No other line of `dev` installs any. locks.py [FOLDER]"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3])
locks = root / "packaging" / "locks"


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(path):
    """The versions of each package of a lock, with those of the lock that it adds to."""
    text = path.read_text()
    base = re.match(r"-r (\S+)\n", text)
    versions = locked(path.with_name(base[1])) if base else {}
    for entry in re.split(r"\n(?=[A-Za-z])", text[base.end():] if base else text):
        found = re.match(r"([\w.-]+)==([\w.+!-]+)", entry)
        if not found:
            sys.exit(f"{path}: no version: {entry.splitlines()[0]}")
        if "--hash=sha256:" not in entry:
            sys.exit(f"{path}: {found[1]} has no hash")
        versions.setdefault(plain(found[1]), set()).add(found[2])
    return versions


count = 0
for requirements in sorted(root.glob("requirements*.txt")):
    versions = locked(locks / requirements.name)
    for line in requirements.read_text().splitlines():
        wanted = re.match(r"([\w.-]+)(?:\[[\w,]+\])?(?:==(.+))?$", line)
        if not line or line.startswith("#"):
            continue
        if not wanted or plain(wanted[1]) not in versions:
            sys.exit(f"{requirements}: '{line}' is not locked; packaging/locks/README.md says how")
        if wanted[2] and versions[plain(wanted[1])] != {wanted[2]}:
            sys.exit(f"{requirements}: '{line}' is locked as {versions[plain(wanted[1])]}")
        count += 1
for lock in locks.glob("*.txt"):
    locked(lock)
commands = re.sub(r"\\\n", " ", (root / "dev").read_text())
for command in re.findall(r"pip install[^\n]*", commands):
    if "--require-hashes" not in command:
        sys.exit(f"dev: no hashes: {command}")
if count < 10:
    sys.exit(f"only {count} requirements were seen")
print(f"{count} requirements are locked")
