#!/usr/bin/env bash
# clang.sh: prints the name of the newest clang++ here that has its sanitizers, libFuzzer and llvm-cov; ends
# with 1 where there is none. `./dev` installs one then.
for clang in clang++-{22..14} clang++; do
    found=$(command -v "$clang") || continue
    [ -x "$(dirname "$(readlink -f "$found")")/llvm-cov" ] || continue
    if "$found" -x c++ -fsanitize=address,undefined,fuzzer-no-link -fprofile-instr-generate -o /dev/null - \
        <<<'int main() {}' 2>/dev/null; then
        echo "$clang"
        exit
    fi
done
exit 1
