#!/usr/bin/env bash
# `./dev new-operator` in a copy of the tree: the new files are complete, do not name `invert`, keep to the
# rooms and to the layout, and compile. Arguments: the source folder, a folder to work in (it is emptied), the
# build folder, the compiler, Python. Exits with 77 where the source folder is no working tree of git.
set -euo pipefail
source=$1 work=$2 build=$3 compiler=$4 python=$5
git -C "$source" ls-files --error-unmatch dev >/dev/null || exit 77

fail() { printf '%s\n' "new_operator_test: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cd "$source"
git ls-files -z | xargs -0 cp --parents -t "$work"
cd "$work"
git init -q .
git add .
before=$(git ls-files | grep -E '(^|/)invert(_test)?\.|/invert/' | grep -cv '^generators/pipelines/')

./dev new-operator Box && fail "a name in upper case is taken"
./dev new-operator invert && fail "the name of an operator that exists is taken"
[ -z "$(git ls-files --others --modified)" ] || fail "a refusal changes files"

export TILEWRIGHT_VENV=$source/.venv  # its clang-format
./dev new-operator box_blur
mapfile -t files < <(git ls-files --others)
[ ${#files[@]} -eq "$before" ] || fail "invert has $before files, and box_blur ${#files[@]}: ${files[*]}"
if [ -x "$TILEWRIGHT_VENV/bin/clang-format" ]; then
    "$TILEWRIGHT_VENV/bin/clang-format" --dry-run -Werror "${files[@]}" || fail "files have another layout"
fi
grep -il invert "${files[@]}" && fail "these files still name invert"
tr '\n' ' ' <CMakeLists.txt | grep -q 'TILEWRIGHT_ALL_OPERATORS[^)]*box_blur' || fail "no operator in CMake"
"$python" tests/build/rules/layers.py . || fail "an include goes the wrong way"
for file in plain/box_blur.cpp runtime/operators/box_blur/*.cpp; do
    "$compiler" -std=c++20 -DFMT_HEADER_ONLY -fsyntax-only -I. -Iruntime/include -Iplain \
        -I"$build/include" -I"$build/halide_runtime_headers" "$file"
done
