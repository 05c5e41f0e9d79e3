#!/usr/bin/env python3
"""Prints the parts of a release as CycloneDX 1.5: sbom.py PROGRAM. What is in the program and what it links
comes from `PROGRAM --version --json`, and what pip installs for the build from packaging/locks."""
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
# liblzma up to 5.4 is in the public domain, and later ones have the licence 0BSD.
licenses = {"libpng": "libpng-2.0", "zlib": "Zlib", "liblzma": "LicenseRef-PublicDomain OR 0BSD",
            "fmt": "MIT", "CLI11": "BSD-3-Clause", "nlohmann-json": "MIT",
            "libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib", "libtiff": "libtiff", "ISA-L": "BSD-3-Clause",
            "halide": "MIT", "llvm": "Apache-2.0 WITH LLVM-exception"}


def locked():
    """The packages of the locks: name, version and hashes."""
    for path in sorted((root / "packaging" / "locks").glob("*.txt")):
        for entry in re.split(r"\n(?=\S)", path.read_text()):
            name = re.match(r"([\w.-]+)==([\w.+!-]+)", entry)
            if name:
                yield name[1], name[2], tuple(re.findall(r"sha256:([0-9a-f]{64})", entry))


def main():
    command = [sys.argv[1], "--version", "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    linked = {"halide": said["halide"], "llvm": said["llvm"], **said["libraries"]}
    parts = [{"type": "library", "name": name, "version": version, "scope": "required",
              "licenses": [{"expression": licenses[name]}]} for name, version in linked.items()]
    for name, version, hashes in sorted(set(locked())):
        parts.append({"type": "library", "name": name, "version": version, "scope": "excluded",
                      "purl": f"pkg:pypi/{name}@{version}",
                      "hashes": [{"alg": "SHA-256", "content": one} for one in hashes]})
    json.dump({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
               "metadata": {"component": {"type": "application", "name": "tilewright",
                                          "version": said["tilewright"]}},
               "components": parts}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
