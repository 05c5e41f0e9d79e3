#!/usr/bin/env bash
# instrumented.sh BUILD PYTHON address|thread|coverage: tests of a build whose code says more, in
# build-sanitize/, build-thread/ or build-coverage/. `address` runs the tests of runtime and program under
# sanitizers, `coverage` counts which lines and branches they reach. The registry's tests are left out: they
# compare lists, and need the programs of all operators.
# Halide's code is not instrumented: the kernels stay as they are, and the fence (tests/runtime/fence) finds
# what they touch outside of arrays. So generators and libraries are those of BUILD, where it has them, and
# runtime, program and tests alone are compiled again. Under ThreadSanitizer Halide has one thread per call,
# because it does not see how Halide's threads wait for each other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 python=$2 what=$3
folder=build-sanitize optimized=-O1 options=("-DTILEWRIGHT_SANITIZE=address,undefined")
targets=(tests.runtime tests.files tests.command_line tests.sanitizer)
labels='runtime|files|command_line|sanitizer' without='^fuzz$'
case $what in
address) ;;
thread)
    folder=build-thread options=(-DTILEWRIGHT_SANITIZE=thread)
    targets=(process_test cuda_streams_test cuda_prepared_test opencl_driver_test)  # the last three on fakes
    ;;
coverage)
    clang=$(command -v clang++ clang++-{21..14} | head -n 1 || true)
    [ -n "$clang" ] ||
        { echo "coverage needs clang (apt-get install clang llvm)" >&2; exit 1; }
    tools=$(dirname "$(readlink -f "$clang")")
    folder=build-coverage optimized=-O0
    options=(-DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/clang++/clang}"
        -DCMAKE_CXX_FLAGS="-fprofile-instr-generate -fcoverage-mapping")
    targets=(tests.runtime tests.files tests.command_line)
    # what fails there is the file of counts
    without+='|ResultsFileIsFull|FailingFiles|DiskIsFull|DiskThatBecomesFull|HasNoRoom'
    ;;
*) echo "sanitize takes address or thread; not '$what'" >&2; exit 1 ;;
esac
if [ -e "$build/libraries" ] && [ -e "$build/fresnel.generator" ]; then
    mkdir -p "$folder"
    cp -au "$build/libraries" "$folder"
    options+=(-DTILEWRIGHT_GENERATORS="$(cd "$build" && pwd)")
fi
cmake -S . -B "$folder" -G Ninja -DPython3_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$optimized -g1" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${options[@]}" >"$folder.log" ||
    { cat "$folder.log" >&2; exit 1; }
rm "$folder.log"
# Programs that the build runs keep their memory until they end.
export LLVM_PROFILE_FILE=/dev/null
ASAN_OPTIONS=detect_leaks=0 cmake --build "$folder" --target "${targets[@]}"
# LeakSanitizer (GCC 12) ends with a signal where it follows the thread-local memory that PoCL's threads asked
# for while a library was loaded; it need not know of it.
asan=detect_stack_use_after_return=1:verify_asan_link_order=0:intercept_tls_get_addr=0
export TSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=$asan \
    UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$PWD/tests/runtime/devices/leaks_of_drivers.txt:print_suppressions=0
run_tests() {
    ctest --test-dir "$folder" --output-on-failure -j "$(($(nproc) + 1))" -L "$labels" -LE 'fence|build' \
        -E "$without"
}
case $what in
address) run_tests ;;
thread)
    export HL_NUM_THREADS=1
    "$folder/tests/process_test" --gtest_filter='Threads.*'
    ctest --test-dir "$folder" --output-on-failure -R '^(CudaStreams|CudaPrepared|OpenCl(Driver|Prepared))[.]'
    ;;
coverage)
    rm -rf "$folder/counts"
    failed=0
    LLVM_PROFILE_FILE=$PWD/$folder/counts/%4m.profraw run_tests || failed=1
    "$tools/llvm-profdata" merge -sparse "$folder"/counts/*.profraw -o "$folder/counts/all.profdata"
    mapfile -t programs < <(find "$folder/tests" -maxdepth 3 -type f -executable -name '*_test')
    "$tools/llvm-cov" export -format=lcov -instr-profile "$folder/counts/all.profdata" \
        "$folder/apps/tilewright/tilewright" "${programs[@]/#/-object=}" runtime apps \
        >"$folder/counts/all.lcov"
    "$python" -B tests/build/coverage.py "$folder/counts/all.lcov" || failed=1
    exit "$failed"
    ;;
esac
