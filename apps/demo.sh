#!/usr/bin/env bash
# The demonstration: runs every operator and a pipeline on a photograph, on the best device of this machine,
# from libraries that were generated ahead of time. `./dev demo` calls it with the command line program, a
# Python that has NumPy and Pillow, and the photograph.
set -euo pipefail
tilewright=$1
python=$2
out=out
mkdir -p "$out"
cp "$3" "$out/photo.png"
"$python" - "$out" <<'PY'
import sys, numpy as np
from PIL import Image
out = sys.argv[1]
grey = Image.open(f"{out}/photo.png").convert("L")
grey.save(f"{out}/grey.png")
# The product of the 24 strongest singular vectors on each side is the best approximation of rank 24.
u, s, v = np.linalg.svd(np.asarray(grey, np.float32), full_matrices=False)
np.save(f"{out}/left.npy", np.ascontiguousarray(u[:, :24] * s[:24]))
np.save(f"{out}/right.npy", np.ascontiguousarray(v[:24]))
# Per half of the image: what it loses when it keeps i singular vectors. The min-plus convolution of the two
# tables is the least that both halves lose together with k vectors, over all ways to share the k vectors.
halves = np.array_split(np.asarray(grey, np.float64), 2)
for name, half in zip(("top", "bottom"), halves):
    s = np.linalg.svd(half, compute_uv=False)
    np.save(f"{out}/{name}.npy", np.append(np.cumsum((s**2)[::-1])[::-1], 0.0))
PY

# Runs one operator and says where it ran, what it cost, and whether the definition gives the same.
run() {
    local output=$1
    shift
    "$tilewright" "$@" --stats --check 2>"$out/stats.txt" || { cat "$out/stats.txt" >&2; exit 1; }
    awk -v what="$1" -v output="$output" '
        $1 == "variant" { split($2, variant, "/"); library = variant[2] "/" variant[3] }
        $1 == "stage" { library = $2 " stages" }
        $1 == "device" { device = $2 }
        $1 == "compute" { ms = $2 }
        $1 == "verified" { verified = "verified" }
        END {
            printf "%-20s %-10s %-32s %9.3f ms  %-9s %s\n", what, device, library, ms, verified, output
        }' "$out/stats.txt"
}

echo "photograph: $out/photo.png (astronaut, from scikit-image's sample images)"
printf '%-20s %-10s %-32s %12s  %-9s %s\n' operator device schedule/type 'first call' '' file
run "$out/column_sum.npy" column_sum "$out/grey.png" "$out/column_sum.npy"
run "$out/row_sum.npy" row_sum "$out/grey.png" "$out/row_sum.npy"
run "$out/transpose.png" transpose "$out/photo.png" "$out/transpose.png"
run "$out/transpose_grey.npy" transpose "$out/grey.png" "$out/transpose_grey.npy"
for sigma in 1 3 6; do
    blur=$out/blur_$sigma.png recursive=$out/recursive_$sigma.png
    run "$blur" gaussian_blur "$out/photo.png" "$blur" --sigma "$sigma" --border nearest
    run "$recursive" recursive_gaussian "$out/photo.png" "$recursive" --sigma "$sigma"
done
run "$out/rank24.npy" matmul "$out/left.npy" "$out/right.npy" "$out/rank24.npy"
run "$out/shared.npy" min_plus_convolution "$out/top.npy" "$out/bottom.npy" "$out/shared.npy"
run "$out/invert.png" invert "$out/grey.png" "$out/invert.png"
# The photograph as a slide in green light: first the light at a distance, then its intensity there, and then
# that light computed back to the slide.
light=(--wavelength 532nm --pitch 10um)
run "$out/hologram.npy" fresnel "$out/grey.png" "$out/hologram.npy" "${light[@]}" --distance 5cm
run "$out/hologram.png" fresnel "$out/grey.png" "$out/hologram.png" "${light[@]}" --distance 5cm
run "$out/slide.png" fresnel "$out/hologram.npy" "$out/slide.png" "${light[@]}" --distance -5cm --scale 1
run "$out/spectrum.png" fft2d "$out/grey.png" "$out/spectrum.png"
run "$out/sums.npy" pipeline "gaussian_blur sigma=2 | transpose | column_sum" "$out/grey.png" "$out/sums.npy"
rm -f "$out/stats.txt"
"$python" - "$out" <<'PY'
import sys, numpy as np
from PIL import Image
out = sys.argv[1]
rank24 = np.clip(np.load(f"{out}/rank24.npy") + 0.5, 0, 255).astype(np.uint8)
Image.fromarray(rank24).save(f"{out}/rank24.png")

print("\nFIR and recursive Gaussian, and their difference (eight times as strong), "
      "side by side in compared_SIGMA.png:")
for sigma in (1, 3, 6):
    fir, recursive = (np.asarray(Image.open(f"{out}/{kind}_{sigma}.png"), np.int32)
                      for kind in ("blur", "recursive"))
    difference = recursive - fir
    strong = np.clip(128 + 8 * difference, 0, 255)
    Image.fromarray(np.hstack([fir, recursive, strong]).astype(np.uint8)).save(f"{out}/compared_{sigma}.png")
    print(f"  sigma {sigma}: at most {np.abs(difference).max()} of 255 apart, "
          f"{np.abs(difference).mean():.2f} on average")

top, bottom, shared = (np.load(f"{out}/{name}.npy") for name in ("top", "bottom", "shared"))
k = 24
i = int(np.argmin(top[:k + 1] + bottom[k::-1][:k + 1]))
print(f"\n{k} singular vectors for both halves of the picture are best shared {i} : {k - i}; "
      f"they lose {100 * shared[k] / shared[0]:.2f} % of its energy "
      f"(halved, {k // 2} : {k // 2}, {100 * (top[k // 2] + bottom[k // 2]) / shared[0]:.2f} %)")

slide = np.asarray(Image.open(f"{out}/slide.png"), np.float64) / 255
intensity = (np.asarray(Image.open(f"{out}/grey.png"), np.float64) / 255) ** 2
print(f"\nlight through the photograph, 5 cm on and 5 cm back: the intensity is within "
      f"{np.abs(slide - intensity).max():.4f} of the slide's (hologram.png, slide.png)\n")
PY
echo "written: $(ls "$out" | tr '\n' ' ')"
