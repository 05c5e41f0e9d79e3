#!/usr/bin/env bash
# How large programs are, and how soon they are done: the rows of "Sizes and first calls" in
# docs/PERFORMANCE.md that need no GPU. Usage: apps/laboratory/light.sh BUILD, a folder in which everything is
# built. Times are the least of 20 runs.
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cat >blur.cpp <<'CPP'
#include <chrono>
#include <cstdio>
#include <sys/resource.h>
#include <tilewright/gaussian_blur.h>
int main() {
    const tilewright::Array image(tilewright::Type::u8, {481, 643});
    double ms[2];
    for (double &of_call : ms) {
        const auto start = std::chrono::steady_clock::now();
        tilewright::gaussian_blur(image, 2.25);
        of_call = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::printf("%.2f %.1f\n", ms[0] - ms[1], used.ru_maxrss / 1e3);
}
CPP
PKG_CONFIG_PATH=$(dirname "$(find prefix -name tilewright.pc)")
export PKG_CONFIG_PATH
for module in tilewright tilewright-cpu; do
    read -ra flags < <(pkg-config --cflags --libs $module)
    g++ -std=c++20 -O2 -s blur.cpp -o $module "${flags[@]}" -Wl,--gc-sections,-z,pack-relative-relocs
    echo "program with one blur, $module: $(stat -c %s $module) bytes"
done
least() { sort -n | head -1; }
echo "first call over the second, ms; largest resident memory, MB: $(
    for _ in {1..20}; do ./tilewright-cpu; done | least)"

cp prefix/bin/tilewright program
strip program
echo "tilewright, stripped: $(stat -c %s program) bytes"
python3 -c '
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(643)) for y in range(481))
head = struct.pack(">2I5B", 643, 481, 8, 0, 0, 0, 0)
open("small.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
    chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))'
for words in --version --help "list transpose" "gaussian_blur small.png out.png --sigma 2.25"; do
    echo "tilewright $words: $(for _ in {1..20}; do
        begin=$EPOCHREALTIME
        ./program $words >/dev/null
        echo $((${EPOCHREALTIME/./} - ${begin/./}))
    done | least) us"
done
if command -v dpkg-deb >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/deb" >/dev/null
    for package in deb/*.deb; do
        rm -rf root
        dpkg-deb --extract "$package" root
        echo "$(basename "$package"): $(stat -c %s "$package") bytes, installed $(du -sb root | cut -f1)"
    done
fi
