#!/usr/bin/env bash
# Builds the fuzz targets, and runs each on its seeds, on what was found before (found/TARGET), and on what
# libFuzzer makes of them, as many at a time as there are processors:
# fuzz.sh BUILD PYTHON SECONDS [TARGET...].
# BUILD keeps the corpus, so that the next run goes on from it. An input that breaks something is
# BUILD/TARGET-crash-..., and the run fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 python=$2 seconds=$3
shift 3
clang=$(tests/build/clang.sh)
optimised=ON
[ "$seconds" -gt 60 ] || optimised=OFF  # compiling takes less than half of the time
cmake -S . -B "$build" -DTILEWRIGHT_FUZZ=ON -DTILEWRIGHT_FUZZ_OPTIMISED=$optimised \
    -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/clang++/clang}" \
    -DCMAKE_BUILD_TYPE=None -DPython3_EXECUTABLE="$python" >"$build.log" || { cat "$build.log"; exit 1; }
cmake --build "$build" --target fuzz --parallel "$(nproc)" >"$build.log" ||
    { tail -n 30 "$build.log"; exit 1; }
words=$("$python" -B tests/fuzz/seeds.py "$build/seeds" 2>&1 >/dev/null)
[ -z "$words" ] || { printf 'seeds.py prints errors: %s\n' "$words"; exit 1; }
targets=("$@")
[ $# -gt 0 ] || targets=(png jpeg tiff npy text measured results pipeline)

run() {
    local target=$1 program=$build/tests/fuzz/fuzz_$1 folders count
    if [ ! -x "$program" ]; then
        echo "$target: not run here: the build has no such reader"
        return
    fi
    mkdir -p "$build/corpus/$target"
    folders=("$build/corpus/$target" "$build/seeds/$target")
    [ ! -d "tests/fuzz/found/$target" ] || folders+=("tests/fuzz/found/$target")
    if ! "$program" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/$target-" "${folders[@]}" >"$build/$target.log" 2>&1
    then
        tail -n 60 "$build/$target.log"
        echo "$target: an input was found that breaks it; add it to tests/fuzz/found/$target with its mend"
        return 1
    fi
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
    echo "$target: $count inputs, none breaks it"
}
export build seconds
export -f run
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -euc 'run {}' || exit 1
