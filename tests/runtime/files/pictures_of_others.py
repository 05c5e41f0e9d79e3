#!/usr/bin/env python3
"""pictures_of_others.py TILEWRIGHT FOLDER [COUNT]: pictures of every kind, against tifffile and Pillow.

They write COUNT pictures of random sizes per kind (1 without it), the program transposes all of them to .npy,
and NumPy says whether these are the pixels that went in (of JPEG: those that Pillow reads). Then the program
transposes the arrays to TIFF and PNG, and tifffile and Pillow read the first pixels again. Prints how many
pictures were compared, or "not run here" where tifffile or Pillow is not installed.
"""
import itertools
import os
import shutil
import subprocess
import sys

try:
    import numpy as np
    import tifffile
    from PIL import Image
except ImportError as error:
    print('not run here:', error)
    sys.exit(0)

PROGRAM, FOLDER = sys.argv[1:3]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 1
random = np.random.default_rng(1)
both = (False, True)


def pixels(dtype, channels):
    """Random pixels, with runs of zeros that compression finds: (h, w) or (h, w, channels)."""
    shape = tuple(random.integers(1, 90, 2)) + (channels,) * (channels > 1)
    if dtype == np.float32:
        return random.standard_normal(shape).astype(dtype)
    image = random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    image[random.random(shape[:2]) < .3] = 0
    return image


def tiffs():
    """(name, pixels, save) of types, channels, tiles, planes, byte orders and sizes of the file's numbers."""
    types = np.uint8, np.uint16, np.float32
    for kind in itertools.product(types, (1, 3, 4), both, both, '<>', both, both, both):
        dtype, channels, tiled, planes, order, big, zlib, predictor = kind
        if planes and channels == 1 or predictor and not zlib:
            continue
        if dtype == np.float32 and (predictor or channels > 3):  # TIFF files of floats are grey or RGB
            continue
        image = pixels(dtype, channels)
        rows = int(random.integers(1, len(image) + 1))
        options = {'tile': (16, 32)} if tiled else {'rowsperstrip': rows}
        if channels > 1:
            options |= {'photometric': 'rgb', 'planarconfig': 'separate' if planes else 'contig'}
        if channels == 4:
            options['extrasamples'] = ['unassalpha']
        options |= {'byteorder': order, 'bigtiff': big, 'compression': 'zlib' if zlib else None,
                    'predictor': predictor, 'metadata': None}
        stored = np.moveaxis(image, 2, 0) if planes else image
        words = (np.dtype(dtype).name, channels, tiled, planes, 'II' if order == '<' else 'MM', big, zlib,
                 predictor)
        yield (f'tifffile-{"-".join(map(str, words))}.tif', image,
               lambda path, stored=stored, options=options: tifffile.imwrite(path, stored, **options))


def pillows():
    """The same of what Pillow writes: modes and compression without loss; the pixels of JPEG are None."""
    kinds = [('png', {'compress_level': level}) for level in (0, 6)]
    kinds += [('tif', {'compression': c}) for c in ('raw', 'tiff_lzw', 'tiff_adobe_deflate', 'packbits')]
    kinds += [('jpg', {'progressive': progressive, 'subsampling': subsampling, 'quality': quality})
              for progressive in both for subsampling in (0, 1, 2) for quality in (50, 95)]
    modes = [(np.uint8, 1), (np.uint8, 2), (np.uint8, 3), (np.uint8, 4), (np.uint16, 1)]
    for (ending, options), (dtype, channels) in itertools.product(kinds, modes):
        if (ending == 'jpg' and (dtype, channels) not in modes[:3:2]) or (ending == 'tif' and channels == 2):
            continue
        image = pixels(dtype, channels)
        words = [np.dtype(dtype).name, channels, *options.values()]
        yield (f'pillow-{"-".join(map(str, words))}.{ending}', None if ending == 'jpg' else image,
               lambda path, image=image, options=options: Image.fromarray(image).save(path, **options))


def transpose(files, into, kind):
    """Transposes files to others of a kind; the program may refuse none."""
    ran = subprocess.run([PROGRAM, 'transpose', *files, '--into', into, '--device', 'cpu', '--format', kind],
                         capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(ran.stderr[-2000:])


def main():
    """Writes, transposes and compares."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    there, arrays = os.path.join(FOLDER, 'there'), os.path.join(FOLDER, 'arrays')
    os.makedirs(there)
    expected = {}
    for i in range(COUNT):
        for name, image, save in itertools.chain(tiffs(), pillows()):
            path = os.path.join(there, f'{i}-{name}')
            save(path)
            image = np.asarray(Image.open(path)) if image is None else image
            expected[f'{i}-{os.path.splitext(name)[0]}'] = image
    transpose([there], arrays, 'npy')
    compared, wrong = 0, []

    def compare(name, got, image):
        nonlocal compared
        compared += 1
        if got.dtype != image.dtype or not np.array_equal(got, image):
            wrong.append(f'{name}: {image.dtype} {image.shape} became {got.dtype} {got.shape}')

    for name, image in expected.items():
        compare(name, np.load(f'{arrays}/{name}.npy'), np.swapaxes(image, 0, 1))
    for kind, dtypes, read in (('tif', (np.uint8, np.uint16, np.float32), tifffile.imread),
                               ('png', (np.uint8,), lambda path: np.asarray(Image.open(path)))):
        names = [name for name, image in expected.items() if image.dtype in dtypes and len(image) > 1]
        transpose([f'{arrays}/{name}.npy' for name in names], f'{FOLDER}/{kind}', kind)
        for name in names:
            compare(f'{kind} of {name}', read(f'{FOLDER}/{kind}/{name}.{kind}'), expected[name])
    print(compared, 'pictures compared,', len(wrong), 'differ')
    print('\n'.join(wrong[:40]))
    sys.exit(bool(wrong))


main()
