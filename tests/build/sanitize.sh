#!/usr/bin/env bash
# sanitize.sh BUILD PYTHON address|files|thread: tests under sanitizers, in build-sanitize/ or build-thread/.
# `files` runs the tests of readers and writers alone, `address` those of runtime and program too.
# Halide's code is not instrumented: the kernels stay as they are, and the fence (tests/runtime/fence) finds
# what they touch outside of arrays. So generators and libraries are those of BUILD, where it has them, and
# runtime, program and tests alone are compiled again. Under ThreadSanitizer Halide has one thread per call,
# because it does not see how Halide's threads wait for each other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 python=$2 what=$3
folder=build-sanitize sanitizers=address,undefined targets=(all)
case $what in
address) ;;
files) targets=(files_test npy_test png_test sanitizer_finds) ;;
thread) folder=build-thread sanitizers=thread targets=(process_test) ;;
*) echo "sanitize takes address, files or thread; not '$what'" >&2; exit 1 ;;
esac
options=()
if [ -e "$build/libraries" ] && [ -e "$build/fresnel.generator" ]; then
    mkdir -p "$folder"
    cp -au "$build/libraries" "$folder"
    options+=(-DTILEWRIGHT_GENERATORS="$(cd "$build" && pwd)")
fi
cmake -S . -B "$folder" -G Ninja -DPython3_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTILEWRIGHT_SANITIZE=$sanitizers \
    "${options[@]}" >"$folder.log" ||
    { cat "$folder.log" >&2; exit 1; }
rm "$folder.log"
# Programs that the build runs keep their memory until they end.
ASAN_OPTIONS=detect_leaks=0 cmake --build "$folder" --target "${targets[@]}"
export TSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$PWD/tests/runtime/devices/leaks_of_drivers.txt:print_suppressions=0
case $what in
address)
    ctest --test-dir "$folder" --output-on-failure -j "$(($(nproc) + 1))" \
        -L 'runtime|files|command_line|registry|sanitizer' -LE 'fence|build' -E '^fuzz$'
    ;;
files)
    ("$folder/tests/sanitizer_finds" heap_overflow 2>&1 || true) |
        grep 'AddressSanitizer: heap-buffer-overflow'
    for test in files_test npy_test png_test; do
        "$folder/tests/$test" --gtest_brief=1
    done
    ;;
thread) HL_NUM_THREADS=1 "$folder/tests/process_test" --gtest_filter='Threads.*' ;;
esac
