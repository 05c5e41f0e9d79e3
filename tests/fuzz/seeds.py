#!/usr/bin/env python3
"""Writes seeds for the fuzz targets: seeds.py FOLDER makes FOLDER/TARGET/... Small files of every kind that a
reader knows, so that libFuzzer begins behind the checks of beginnings. It needs NumPy and Pillow."""
import io
import json
import pathlib
import sys
import zlib

import numpy as np
from PIL import Image

root = pathlib.Path(__file__).resolve().parents[2]


def pictures():
    """Pillow's pictures of each mode: name and picture."""
    values = np.arange(13 * 11 * 4, dtype=np.uint8).reshape(13, 11, 4)
    image = Image.fromarray(values, "RGBA")
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK"):
        yield mode, image.convert(mode)
    yield "I;16", Image.fromarray(np.arange(13 * 11, dtype=np.uint16).reshape(13, 11) * 400)


def saved(image, kind, **options):
    """The bytes of a file, or None where the kind holds no such picture."""
    out = io.BytesIO()
    try:
        image.save(out, kind, **options)
    except (OSError, KeyError, ValueError):
        return None
    return out.getvalue()


def of_pictures():
    profile = zlib.compress(bytes(200))
    for mode, image in pictures():
        yield "png", saved(image, "PNG", dpi=(72, 72), icc_profile=profile)
        yield "png", saved(image, "PNG", optimize=True)
        exif = Image.Exif()
        exif[0x0112] = 6  # turned
        for options in ({}, {"progressive": True, "quality": 20}, {"subsampling": 2, "exif": exif},
                        {"dpi": (300, 200), "icc_profile": bytes(300), "comment": b"words"}):
            yield "jpeg", saved(image, "JPEG", **options)
        # The compressions of other modes do not hold it, and libtiff prints so.
        of_mode = {"1": ("group3", "group4"), "P": (), "I;16": ()}.get(mode, ("jpeg",))
        for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", *of_mode):
            yield "tiff", saved(image, "TIFF", compression=compression, dpi=(72, 72))
        yield "tiff", saved(image, "TIFF", tiffinfo={274: 8}, big_tiff=True)


def of_arrays():
    for name in ("u1", "<u2", "<u4", "<u8", "<i4", "<f2", "<f4", "<f8", "<c8", ">u2", ">c16"):
        for shape in ((5,), (3, 4), (2, 3, 2), (2, 1, 2, 3)):
            for order in "CF":
                out = io.BytesIO()
                np.save(out, np.ones(shape, name, order))
                yield "npy", out.getvalue()


def of_texts():
    for text in ("1 2 3\n4 5 6\n", "1,2\n3,4\n", "1;2\r\n3;4\r\n", "# words\n1\n2\n",
                 "\ufeffnan,inf,-1e300\n", "1e-5\t+2\t.5\n"):
        yield "text", text.encode()
    for text in ("gaussian_blur sigma=2 | transpose", "column_sum | row_sum",
                 "fft2d direction=inverse pad=yes",
                 "fresnel wavelength=532nm distance=2cm pitch=10um", "recursive_gaussian sigma=3 border=zero",
                 "invert schedule=reference", "gaussian_blur 'sigma=1' border=\"mirror\""):
        yield "pipeline", text.encode()


def of_times():
    for path in sorted((root / "schedules" / "measured").glob("*.json")):
        file = json.loads(path.read_text())
        file["times"] = file["times"][:1]
        times = file["times"][0]
        times["calls"] = times["calls"][:2]
        times["variants"] = {name: {**of, "ms": of["ms"][:2]} for name, of in
                             list(times["variants"].items())[:2]}
        yield "measured", json.dumps(file).encode()
    run = {"variant": "transpose/tuned/u8/cpu", "operator": "transpose", "schedule": "tuned",
           "family": "tuned", "type": "u8", "backend": "cpu", "device": "cpu", "data": "8x8",
           "width": 8, "height": 8,
           "channels": 1, "bytes": 128, "batch": {"median": 1, "p10": .9, "p90": 1.2},
           "tunables": {"across": 8}, "verified": True}
    context = {"version": 2, "date": "2026-01-01", "tilewright": "0.1.0", "commit": "abc", "halide": "21.0.0",
               "machine": "a machine", "device": "cpu", "device_name": "a CPU", "driver": ""}
    yield "results", json.dumps({**context, "runs": [run, {**run, "why_not": "it failed"}]}).encode()
    yield "results", "".join(json.dumps({**context, **run}) + "\n" for _ in range(2)).encode()


def main():
    folder = pathlib.Path(sys.argv[1])
    count = 0
    for seeds in (of_pictures, of_arrays, of_texts, of_times):
        for target, content in seeds():
            if content is not None:
                (folder / target).mkdir(parents=True, exist_ok=True)
                (folder / target / f"seed{count:03}").write_bytes(content)
                count += 1
    print(f"{count} seeds in {folder}")


if __name__ == "__main__":
    main()
