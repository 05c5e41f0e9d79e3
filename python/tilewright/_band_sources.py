"""Sources of tilewright.bands: files of zarr and TIFF, and arrays that are sliced as NumPy's."""

import os
import pathlib

import numpy as np

from ._tilewright import ArgumentError


def package(name):
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(
            f"tilewright.bands: the package {name} is not installed; `pip install 'tilewright[bands]'` "
            "brings it"
        ) from error


def refuse(why):
    raise ArgumentError(f"process: {why}")


def extents_of(chunks):
    """The extents of a chunk, from a number per axis, or as Dask has them, from the extent of each chunk."""
    return tuple(c if isinstance(c, int) else max(c) for c in chunks)


def is_tiff(path):
    return path.name.lower().endswith((".tif", ".tiff"))


class Source:
    """An array that is sliced as NumPy's, and what is known of it besides."""

    def __init__(self, array, axes=None, metadata=None):
        self.array = array
        self.axes = axes  # "tczyx"; None: not known
        self.metadata = metadata or {}  # of OME: the sizes of pixels
        self.close = lambda: None


def _first_image(group):
    """Of an OME-Zarr: the largest array of its first image, and the axes. None where it has no image."""
    scales = (group.attrs.get("ome") or group.attrs).get("multiscales")
    if not scales:
        return None
    axes = [axis["name"] if isinstance(axis, dict) else axis for axis in scales[0].get("axes", [])]
    return group[scales[0]["datasets"][0]["path"]], "".join(axes) if all(len(a) == 1 for a in axes) else None


def _open_zarr(path):
    zarr = package("zarr")
    opened = zarr.open(str(path), mode="r")
    if isinstance(opened, zarr.Group):
        image = _first_image(opened)
        if image is None:
            names = ", ".join(sorted(opened.array_keys())) or "none"
            refuse(f"source = {path}: it is a group of zarr; name one of its arrays: {names}")
        return Source(*image)
    return Source(opened)


def _sizes_of_ome(tifffile, text):
    """What OME-XML says of the sizes of pixels."""
    if not text:
        return {}
    image = tifffile.xml2dict(text)["OME"]["Image"]
    pixels = (image[0] if isinstance(image, list) else image)["Pixels"]
    return {key: value for key, value in pixels.items() if key.startswith(("PhysicalSize", "TimeIncrement"))}


def _open_tiff(path):
    tifffile = package("tifffile")
    file = tifffile.TiffFile(path)
    try:
        series = file.series[0]
        metadata = _sizes_of_ome(tifffile, file.ome_metadata)
        if series.dataoffset is not None:  # not compressed, and in one piece
            dtype = np.dtype(file.byteorder + series.dtype.char)
            array = np.memmap(path, dtype, "r", series.dataoffset, series.shape)
        else:
            array = package("zarr").open_array(series.aszarr(level=0), mode="r")
    except BaseException:
        file.close()
        raise
    source = Source(array, series.axes.lower(), metadata)
    source.close = file.close
    return source


def open_source(source, axes):
    if axes is not None and not isinstance(axes, str):
        raise TypeError(f"process: axes: takes a word with a letter per axis, not {type(axes).__name__}")
    if isinstance(source, (str, os.PathLike)):
        path = pathlib.Path(source)
        if not path.exists():
            raise FileNotFoundError(f"process: source = {path}: there is no such file")
        if not (is_tiff(path) or path.is_dir() or path.suffix == ".zip"):
            refuse(f"source = {path}: it is no folder of zarr, and its name must end in .tif, .tiff or .zip")
        opened = _open_tiff(path) if is_tiff(path) else _open_zarr(path)
    elif all(hasattr(source, name) for name in ("shape", "dtype", "__getitem__")):
        opened = Source(source)
    else:
        raise TypeError(
            "process: source: takes a path, or an array that is sliced as NumPy's, not "
            f"{type(source).__name__}"
        )
    opened.axes = axes or opened.axes
    return opened


class Layout:
    """Which axes of an array are those of its planes, and how large a chunk of a plane is."""

    def __init__(self, array, axes):
        count = len(array.shape)
        axes = axes or "aqrtczyx"[-count:]  # those of OME
        y = axes.find("yx")
        if len(axes) != count or y < 0 or axes[y + 2 :] not in ("", "s", "c") or 0 in array.shape:
            refuse(
                f"axes = {axes}, shape = {tuple(array.shape)}: takes one letter per axis, x behind y, and "
                "behind x only the samples of a pixel (s or c), as 'tczyx' or 'yxs', and no axis without "
                "elements"
            )
        self.axes = axes
        self.planes = tuple(array.shape[:y])
        self.plane = tuple(int(n) for n in array.shape[y:])
        chunks = getattr(array, "chunks", None)
        self.chunk = extents_of(chunks)[y : y + 2] if chunks else None


class Rows:
    """The next rows of a plane. Chunks are read once, in whole rows of chunks."""

    def __init__(self, array, index, height, step):
        self.array, self.index, self.height, self.step = array, index, height, step
        self.y, self.kept = 0, ()

    def __call__(self, rows):
        done = 0
        while done < len(rows):
            if len(self.kept) == 0:
                self.kept = ()  # its memory is free before the next piece has some
                end = min(self.y + self.step, self.height)
                self.kept = np.asarray(self.array[self.index + (slice(self.y, end),)])
                self.y = end
            n = min(len(rows) - done, len(self.kept))
            rows[done : done + n] = self.kept[:n]
            self.kept = self.kept[n:]
            done += n
