#!/usr/bin/env bash
# Builds the fuzz targets, and runs each on its seeds, on what was found before (found/TARGET), and on what
# libFuzzer makes of them: fuzz.sh BUILD PYTHON SECONDS [TARGET...]. With 0 seconds it makes 2000 inputs, the
# same ones each time, so that a change is what makes it fail. Where no target is named, the tests of readers
# and writers run first, under the same sanitizers, which are shown to find something. BUILD keeps the corpus,
# so that the next run goes on from it. An input that breaks something is BUILD/TARGET-crash-..., and the run
# fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 python=$2 seconds=$3
shift 3
cmake=${CMAKE:-cmake}
clang=$(command -v clang++ clang++-{21..14} | head -n 1 || true)
[ -n "$clang" ] || { echo "not run here: clang is not installed"; exit 0; }
optimised=ON
[ "$seconds" != 0 ] || optimised=OFF  # compiling takes less than half of the time, and most of it is that
"$cmake" -S . -B "$build" -DTILEWRIGHT_FUZZ=ON -DTILEWRIGHT_FUZZ_OPTIMISED=$optimised \
    -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/clang++/clang}" \
    -DCMAKE_BUILD_TYPE=None -DPython3_EXECUTABLE="$python" >"$build.log" || { cat "$build.log"; exit 1; }
"$cmake" --build "$build" --target fuzz --parallel "$(nproc)" >"$build.log" ||
    { tail -n 30 "$build.log"; exit 1; }
programs=$build/tests/fuzz
if [ $# -eq 0 ]; then
    for fault in 'heap_overflow AddressSanitizer: heap-buffer-overflow' 'integer_overflow signed integer'; do
        ("$programs/sanitizer_finds" "${fault%% *}" 2>&1 || true) | grep -q "${fault#* }" ||
            { echo "the sanitizers do not find: $fault"; exit 1; }
    done
    ASAN_OPTIONS=detect_stack_use_after_return=1 "$programs/files_test" --gtest_brief=1
fi
words=$("$python" -B tests/fuzz/seeds.py "$build/seeds" 2>&1 >/dev/null)
[ -z "$words" ] || { printf 'seeds.py prints errors: %s\n' "$words"; exit 1; }
targets=("$@")
[ $# -gt 0 ] || targets=(png jpeg tiff npy text measured results pipeline)
limit=(-max_total_time="$seconds")
[ "$seconds" != 0 ] || limit=(-runs=2000 -seed=1)
for target in "${targets[@]}"; do
    program=$programs/fuzz_$target
    if [ ! -x "$program" ]; then
        echo "$target: not run here: the build has no such reader"
        continue
    fi
    mkdir -p "$build/corpus/$target"
    folders=("$build/corpus/$target" "$build/seeds/$target")
    [ ! -d "tests/fuzz/found/$target" ] || folders+=("tests/fuzz/found/$target")
    if ! "$program" "${limit[@]}" -max_len=8192 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/$target-" "${folders[@]}" >"$build/$target.log" 2>&1
    then
        tail -n 60 "$build/$target.log"
        echo "$target: an input was found that breaks it; add it to tests/fuzz/found/$target with its mend"
        exit 1
    fi
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
    echo "$target: $count inputs, none breaks it"
done
