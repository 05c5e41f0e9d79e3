"""Images that are larger than memory, from zarr, OME-TIFF and other arrays in chunks to zarr or OME-TIFF.

    import tilewright.bands
    tilewright.bands.process("cells.ome.tif", "soft.zarr", "gaussian_blur sigma=3", memory="200M")

Each plane is read, computed and written in bands of its rows, the three at the same time, by the function
`process` of the C++ library. Its chunks are read once, in rows of chunks, and those of the result are written
once, whole. The packages `zarr` and `tifffile` are imported where a file needs them.
"""

import os

import numpy as np

from ._band_sources import Layout, Rows, open_source, refuse
from ._band_targets import Chunks, make_target
from ._tilewright import Pipeline
from ._words import one_line

__all__ = ["process"]

_WORTH = 1 << 20  # bytes of a piece that is read at a time


def _bytes_of(memory):
    """The bytes that 200_000_000, "200M" and "2G" mean."""
    number, unit = str(memory), ""
    if isinstance(memory, str) and memory[-1:] in ("K", "M", "G"):
        number, unit = memory[:-1], memory[-1]
    is_number = number.isascii() and number.isdigit() and not isinstance(memory, bool)
    if not is_number or len(number) > 18 or int(number) < 1:  # no memory has 10^18 bytes
        given = one_line(memory) if len(number) < 100 else f"{number[:20]}..."
        refuse(f"memory = {given}: takes a number of bytes, as 200_000_000 or '200M'")
    return min(int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit], 1 << 60)


def _process_plane(pipeline, dtype, plane, rows, chunks, needed, memory, how):
    if not needed["why_not"]:
        return pipeline._process(dtype, list(plane), rows, chunks, memory=memory, **how)
    image = np.empty(plane, dtype)
    rows(image)
    stats = {}
    result = pipeline(
        image,
        device=how["device"],
        schedule=how["schedule"],
        stats=stats,
        progress=how.get("progress"),
    )
    chunks(result)
    return {"bands": 1, "rows": plane[0], "device": stats["device"]}


def process(
    source,
    target,
    stages,
    *,
    memory="256M",
    axes=None,
    device="auto",
    schedule="tuned",
    scratch="",
    progress=None,
):
    """Runs a pipeline on each plane of an array in chunks, in bounded memory, and writes the results.

    Parameters
    ----------
    source: the path of a zarr (version 2 or 3; of an OME-Zarr, its largest resolution) or of a TIFF (its
        first series: OME-TIFF, tiles, strips, BigTIFF), or an array that is sliced as NumPy's: zarr.Array of
        any store, numpy.memmap, h5py.Dataset. Types: what the operators take, as uint8, uint16, float32.
    target: a path that ends in .zarr or .tif, whose file is whole or absent: an older one of the name stays
        until the new one is complete, and a group of zarr is not replaced. A zarr has the source's chunks,
        one plane per chunk, and its version; a TIFF has tiles of 256 x 256, by deflate, and is an OME-TIFF
        where its name has .ome. or it has several planes. Or an array of the result's type and shape, whose
        parts are set as they are ready.
    stages: the pipeline, as tilewright.Pipeline takes it, or such a pipeline.
    memory: bytes, or a number with K, M or G: of the bands, of the rows of chunks that are read, and of those
        that are collected. The packages' own come on top: what zarr decodes at a time. A pipeline that needs
        its whole image (fft2d, recursive_gaussian) gets whole planes, where the memory has room for them.
    axes: a letter per axis, as "tczyx" or "yxs": x behind y, and behind x only the samples of a pixel (s or
        c). All axes before y count planes. Without it, what the file says; or else the last two are y and x.
    device, schedule: as those of every operator.
    scratch: the folder of the file without a name in which a transpose keeps what it makes.
    progress: called with the part that is done, 0 to 1; where it returns False, the call ends.

    Returns
    -------
    dict
        planes, bands, rows (of a band), device, shape, dtype. The values are those of the pipeline on each
        plane alone; sums of floats may differ in their last digits.

    Raises
    ------
    ArgumentError, for what the pipeline refuses, for axes, and for too little memory (with the least
    that would do); TypeError; ImportError, for a package that is not installed; FileNotFoundError; OSError,
    where a file cannot be written; those of zarr and tifffile for files that are broken.

    Examples
    --------
    >>> import numpy as np, tilewright.bands
    >>> planes, soft = np.zeros((5, 300, 400), np.uint8), np.zeros((5, 300, 400), np.uint8)
    >>> tilewright.bands.process(planes, soft, "gaussian_blur sigma=3", device="cpu")["planes"]
    5
    """
    pipeline = stages if isinstance(stages, Pipeline) else Pipeline(stages)
    memory = _bytes_of(memory)
    scratch = os.fspath(scratch)
    if progress is not None and not callable(progress):
        raise TypeError(
            f"process: progress: takes a function of one number, not {type(progress).__name__}"
        )
    opened = open_source(source, axes)
    try:
        return _process(pipeline, opened, target, memory, device, schedule, scratch, progress)
    finally:
        opened.close()


def _process(pipeline, source, target, memory, device, schedule, scratch, progress):
    layout = Layout(source.array, source.axes)
    plane, planes = layout.plane, layout.planes
    dtype = np.dtype(source.array.dtype).name
    needed = pipeline._bands_needed(dtype, list(plane))
    result, made = tuple(needed["shape"]), np.dtype(needed["dtype"])
    row_bytes = int(np.prod(plane[1:])) * np.dtype(dtype).itemsize
    chunk_rows = layout.chunk[0] if layout.chunk else 1
    step = chunk_rows * max(1, _WORTH // (chunk_rows * row_bytes))
    place = make_target(target, planes + result, made, layout, source)
    try:
        out_step = min(place.step(len(planes)), result[0])
        out_bytes = out_step * int(np.prod(result[1:])) * made.itemsize
        kept = min(step, plane[0]) * row_bytes + place.parts * out_bytes
        least = kept + needed["whole_memory" if needed["why_not"] else "least_memory"]
        if least > memory:
            why = f"{needed['why_not']}, so that whole planes" if needed["why_not"] else "the smallest bands"
            refuse(
                f"memory = {memory} bytes are too few: {why} and the rows of chunks take "
                f"{-(-int(least) // (1 << 20))}M"
            )
        count = int(np.prod(planes, dtype=np.int64))
        how = {"device": device, "schedule": schedule, "scratch": scratch}
        done = {"bands": 0}
        for i, index in enumerate(np.ndindex(*planes)):
            if progress is not None:
                how["progress"] = lambda part, i=i: progress((i + part) / count)
            one = _process_plane(
                pipeline,
                dtype,
                plane,
                Rows(source.array, index, plane[0], step),
                Chunks(lambda y, part, index=index: place.put(index, y, part), result, out_step, made),
                needed,
                memory - kept,
                how,
            )
            done = {**one, "bands": done["bands"] + one["bands"]}
        place.finish()
    except BaseException:
        place.give_up()
        raise
    return {"planes": count, **done, "shape": planes + result, "dtype": made.name}
