#!/usr/bin/env bash
# instrumented.sh BUILD PYTHON address|files|thread: tests of a build by clang whose code says more.
#   address  in build-clang-address/, all tests of runtime, files and program under AddressSanitizer,
#            UndefinedBehaviorSanitizer and LeakSanitizer, while they count which lines and branches they
#            reach. coverage.py prints these, and fewer than 95 % of the lines of what reads files and
#            arguments end the run with 1.
#   files    of these the tests of readers and writers of files alone, without what they reach.
#   thread   in build-clang-thread/, eight threads that call every operator, and streams and prepared calls on
#            fake drivers, under ThreadSanitizer.
# Generators, kernels and the tables of both are those of BUILD; runtime, program and tests are compiled here.
# Halide's code is not instrumented: the fence (tests/runtime/fence) finds what kernels touch outside of
# arrays. Nothing is optimised, because clang takes half of the time then, and tests hardly longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(cd "$1" && pwd) python=$2 what=$3
clang=$(tests/build/clang.sh)
folder="build-clang-address"
options=("-DTILEWRIGHT_SANITIZE=address,undefined" -DTILEWRIGHT_COVERAGE=ON)
if [ "$what" = address ]; then
    targets=(tests.runtime tests.files tests.command_line tests.sanitizer)
elif [ "$what" = files ]; then
    targets=(tests.files tests.sanitizer)
else
    folder="build-clang-thread"
    options=(-DTILEWRIGHT_SANITIZE=thread)
    targets=(process_test cuda_streams_test cuda_prepared_test opencl_driver_test sanitizer_finds)
fi
cmake -S . -B "$folder" -G Ninja -DPython3_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/clang++/clang}" \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g1" -DCMAKE_UNITY_BUILD=ON -DTILEWRIGHT_GENERATORS="$build" \
    -DCMAKE_LINKER_TYPE=LLD -DTILEWRIGHT_GOLD=OFF "${options[@]}" >"$folder.log" ||
    { cat "$folder.log" >&2; exit 1; }
rm "$folder.log"
# Programs that the build runs keep their memory until they end, and what they count is not wanted.
LLVM_PROFILE_FILE=/dev/null ASAN_OPTIONS=detect_leaks=0 cmake --build "$folder" --target "${targets[@]}"
# LeakSanitizer ends with a signal where it follows the thread-local memory that PoCL's threads asked for
# while a library was loaded; it need not know of it.
export TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
    ASAN_OPTIONS=detect_stack_use_after_return=1:verify_asan_link_order=0:intercept_tls_get_addr=0 \
    LSAN_OPTIONS=suppressions=$PWD/tests/runtime/devices/leaks_of_drivers.txt:print_suppressions=0
run_tests() {
    ctest --test-dir "$folder" --output-on-failure -j "$(($(nproc) + 1))" "$@"
}

if [ "$what" = thread ]; then
    # Halide has one thread per call: ThreadSanitizer does not see how Halide's threads wait for each other.
    export HL_NUM_THREADS=1
    "$folder/tests/process_test" --gtest_filter='Threads.*'
    run_tests -R '^((CudaStreams|CudaPrepared|OpenCl(Driver|Prepared))[.]|sanitizer)'
    exit
fi
# What takes minutes in kernels and generators, which are not instrumented, and tests in which each operation
# on files fails in turn, that of the counts too. `./dev test` runs them.
without='^corners[.]|^Operators/Limits[.]|^laboratory[.]any_generator|^FailingFiles[.]'
if [ "$what" = files ]; then
    LLVM_PROFILE_FILE=/dev/null run_tests -L 'files|sanitizer' -LE 'fence|build' -E "$without"
    exit
fi
uncounted='ResultsFileIsFull|DiskIsFull|DiskThatBecomesFull|HasNoRoom'
labels='runtime|files|command_line|sanitizer'
counts=$PWD/$folder/counts
rm -rf "$counts"
failed=0
LLVM_PROFILE_FILE=$counts/%4m.profraw run_tests -L "$labels" -LE 'fence|build' -E "$uncounted|$without" ||
    failed=1
# Where files of the tests' process fail, its file of counts is what would fail.
LLVM_PROFILE_FILE=/dev/null run_tests -L "$labels" -R "$uncounted" || failed=1
tools=$(dirname "$(readlink -f "$(command -v "$clang")")")
"$tools/llvm-profdata" merge -sparse "$counts"/*.profraw -o "$counts/all.profdata"
mapfile -t programs < <(find "$folder/tests" -maxdepth 4 -type f -executable -name '*_test')
"$tools/llvm-cov" export -format=lcov -instr-profile "$counts/all.profdata" \
    "$folder/apps/tilewright/tilewright" "${programs[@]/#/-object=}" runtime apps >"$counts/all.lcov"
"$python" -B tests/build/coverage.py "$counts/all.lcov" || failed=1
exit "$failed"
