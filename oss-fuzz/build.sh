#!/usr/bin/env bash
# Run by OSS-Fuzz, which sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT. Everywhere
# else: with these set, and the four libraries beside this repository in SRC.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ -e "$source/tests/fuzz" ] || source=$SRC/tilewright

# The C++ library of the machine: that of the image has no std::from_chars for numbers with a point.
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
python3 -m venv "$WORK/venv"
PATH=$WORK/venv/bin:$PATH
pip install -q --require-hashes -r "$source/packaging/locks/requirements.txt"

library() { # library NAME OPTION...: builds and installs it in WORK/libraries
    local name=$1
    shift
    cmake -S "$SRC/$name" -B "$WORK/$name" -G Ninja -DCMAKE_INSTALL_PREFIX="$WORK/libraries" \
        -DCMAKE_PREFIX_PATH="$WORK/libraries" -DCMAKE_BUILD_TYPE=None -DZLIB_USE_STATIC_LIBS=ON "$@"
    cmake --build "$WORK/$name" --target install
}
library zlib -DZLIB_BUILD_EXAMPLES=OFF
library libpng -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF
library libjpeg-turbo -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF
# Only what compresses the seeds: zlib and libjpeg.
library libtiff -DBUILD_SHARED_LIBS=OFF -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-docs=OFF \
    -Dtiff-contrib=OFF -Dtiff-opengl=OFF -Dcxx=OFF \
    -Dlzma=OFF -Dzstd=OFF -Dwebp=OFF -Djbig=OFF -Dlerc=OFF -Dlibdeflate=OFF
# What CMake reads of libtiff 4.7.0 names a target that it does not make: of libm, which C++ programs link.
sed -i 's/;[^;"]*CMath::CMath>//' "$WORK/libraries/lib/cmake/tiff/TiffTargets.cmake"

export PKG_CONFIG_PATH=$WORK/libraries/lib/pkgconfig
cmake -S "$source" -B "$WORK/tilewright" -G Ninja -DTILEWRIGHT_FUZZ=ON -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_PREFIX_PATH="$WORK/libraries" -DZLIB_USE_STATIC_LIBS=ON -DTILEWRIGHT_ISAL=OFF \
    -DPython3_EXECUTABLE="$WORK/venv/bin/python"
cmake --build "$WORK/tilewright" --target fuzz
python -B "$source/tests/fuzz/seeds.py" "$WORK/seeds"
for target in "$WORK"/seeds/*/; do
    name=$(basename "$target")
    cp "$WORK/tilewright/tests/fuzz/fuzz_$name" "$OUT"
    [ ! -d "$source/tests/fuzz/found/$name" ] || cp "$source/tests/fuzz/found/$name"/* "$target"
    (cd "$target" && python -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" ./*)
done
