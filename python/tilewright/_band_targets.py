"""Targets of tilewright.bands: zarr and TIFF, whole or absent, and arrays whose parts are set as NumPy's."""

import ctypes
import os
import pathlib
import queue
import shutil
import tempfile
import threading
import time

import numpy as np

from ._band_sources import extents_of, is_tiff, package, refuse

_CHUNK = 512  # rows and columns of a chunk of a result, where the source has none
_TILE = 256  # of a TIFF


class Chunks:
    """Takes the rows of a plane, and puts whole rows of chunks."""

    def __init__(self, put, shape, step, dtype):
        self.put, self.shape, self.step, self.dtype = put, shape, step, dtype
        self.y, self.part, self.filled = 0, None, 0

    def __call__(self, rows):
        done = 0
        while done < len(rows):
            if self.part is None:
                n = min(self.step, self.shape[0] - self.y)
                self.part, self.filled = np.empty((n,) + self.shape[1:], self.dtype), 0
            n = min(len(self.part) - self.filled, len(rows) - done)
            self.part[self.filled : self.filled + n] = rows[done : done + n]
            self.filled += n
            done += n
            if self.filled == len(self.part):
                self.put(self.y, self.part)
                self.y += self.filled
                self.part = None


class ArrayTarget:
    """An array of the caller's, whose parts are written as they come."""

    parts = 1  # rows of chunks that are held at a time

    def __init__(self, array, shape, dtype):
        if tuple(array.shape) != shape or np.dtype(array.dtype) != dtype:
            refuse(f"target: must be {dtype} {shape}, not {array.dtype} {tuple(array.shape)}")
        self.array = array
        chunks = getattr(array, "shards", None) or getattr(array, "chunks", None)
        self.chunks = extents_of(chunks) if chunks else None

    def step(self, axis):
        return self.chunks[axis] if self.chunks else 64

    def put(self, index, y, part):
        self.array[index + (slice(y, y + len(part)),)] = part

    def finish(self):
        pass

    def give_up(self):
        pass


def _share(path, mode):
    """Gives what tempfile made the user's alone the mode of a new file or folder."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, mode & ~mask)


def _exchange(new, old):
    """Gives two folders each other's names, at once. False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    here, both = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename(here, os.fsencode(new), here, os.fsencode(old), both) == 0


def _is_array(zarr, path):
    """Not a group, which has other arrays too, and what its user put beside them."""
    try:
        return isinstance(zarr.open(str(path), mode="r"), zarr.Array)
    except Exception:  # of zarr and of its codecs, of any kind, for what is no zarr or is broken
        return False


class ZarrTarget(ArrayTarget):
    """A folder of zarr, which gets its name when it is whole. An older one of the name is replaced then."""

    def __init__(self, path, shape, dtype, layout, source):
        zarr = package("zarr")
        if path.exists() and not _is_array(zarr, path):
            refuse(
                f"target = {path}: it is there, and is no array of zarr; remove it, or name another one"
            )
        path = path.resolve()  # a link stays
        planes = len(layout.planes)
        chunk = (layout.chunk or (_CHUNK, _CHUNK)) + shape[planes + 2 :]
        chunks = (1,) * planes + tuple(min(c, n) for c, n in zip(chunk, shape[planes:]))
        metadata = getattr(source.array, "metadata", None)
        self.path = path
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            array = zarr.create_array(
                store=str(self.temporary),
                shape=shape,
                chunks=chunks,
                dtype=dtype,
                zarr_format=getattr(metadata, "zarr_format", 3),
            )
            super().__init__(array, shape, dtype)
        except BaseException:
            self.give_up()
            raise

    def finish(self):
        _share(self.temporary, 0o777)
        if not self.path.exists():
            self.temporary.rename(self.path)
        elif not _exchange(self.temporary, self.path):
            older = self.temporary.with_name(self.temporary.name + ".older")
            self.path.rename(older)
            self.temporary.rename(self.path)
            self.temporary = older
        self.give_up()

    def give_up(self):
        for _ in range(100):  # after an error, zarr may still be writing other chunks
            shutil.rmtree(self.temporary, ignore_errors=True)
            time.sleep(0.01)
            if not self.temporary.exists():
                break


class TiffTarget:
    """An OME-TIFF in tiles, which gets its name when it is whole. tifffile asks for the tiles, so it works in
    a thread of its own, which takes them from a queue."""

    parts = 4  # one that is filled, one that waits, one that is divided, and the tiles that are compressed

    def __init__(self, path, shape, dtype, layout, source):
        self.tifffile = package("tifffile")
        self.path = path = path.resolve()  # a link stays
        self.rows = queue.Queue(1)
        self.error, self.is_ended, self.is_given_up = None, False, False
        handle, self.temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        samples = len(layout.plane) == 3
        axes = layout.axes.upper().replace("YXC", "YXS") if samples else layout.axes.upper()
        known = source.metadata
        # The sizes of pixels are the source's where the result is not transposed, which its shape says: but
        # for squares, whose pixels must have one size then.
        is_turned = shape[len(layout.planes) :] != layout.plane or (
            layout.plane[0] == layout.plane[1] and known.get("PhysicalSizeX") != known.get("PhysicalSizeY")
        )
        if samples and shape[-1] == 1:  # tifffile writes no axis of one sample
            samples, axes, shape = False, axes[:-1], shape[:-1]
        is_ome = ".ome." in path.name.lower() or len(shape) > (3 if samples else 2)
        self.samples = shape[-1:] if samples else ()
        self.how = {
            "shape": shape,
            "dtype": dtype,
            "tile": (_TILE, _TILE),
            "compression": "zlib",
            "compressionargs": {"level": 2},
            "photometric": "rgb" if samples and shape[-1] in (3, 4) else "minisblack",
            "planarconfig": "contig" if samples else None,
            "metadata": {"axes": axes, **({} if is_turned else known)} if is_ome else None,
        }
        self.is_ome = is_ome
        self.thread = threading.Thread(target=self._write, daemon=True)
        self.thread.start()

    def step(self, axis):
        return _TILE

    def _tiles(self):
        while (part := self.rows.get()) is not None:
            part = part.reshape(part.shape[:2] + self.samples)
            for x in range(0, part.shape[1], _TILE):
                tile = np.zeros((_TILE, _TILE) + part.shape[2:], part.dtype)
                piece = part[:, x : x + _TILE]
                tile[: piece.shape[0], : piece.shape[1]] = piece
                yield tile
        self.is_ended = True
        if self.is_given_up:
            raise InterruptedError

    def _write(self):
        try:
            with self.tifffile.TiffWriter(self.temporary, bigtiff=True, ome=self.is_ome) as writer:
                writer.write(self._tiles(), **self.how)
        except BaseException as error:  # put() and finish() raise it
            self.error = error
        while not self.is_ended:  # so that nobody waits for a place
            self.is_ended = self.rows.get() is None

    def put(self, index, y, part):
        if self.error is not None:
            raise self.error
        self.rows.put(part)

    def finish(self):
        self.rows.put(None)
        self.thread.join()
        if self.error is not None:
            raise self.error
        _share(self.temporary, 0o666)
        os.replace(self.temporary, self.path)

    def give_up(self):
        self.is_given_up = True
        if self.thread.is_alive():
            self.rows.put(None)
            self.thread.join()
        pathlib.Path(self.temporary).unlink(missing_ok=True)


def make_target(target, shape, dtype, layout, source):
    if not isinstance(target, (str, os.PathLike)):
        if hasattr(target, "__setitem__") and hasattr(target, "shape"):
            return ArrayTarget(target, shape, dtype)
        raise TypeError(
            "process: target: takes a path that ends in .zarr, .tif or .tiff, or an array whose parts are "
            f"set as NumPy's, not {type(target).__name__}"
        )
    path = pathlib.Path(target)
    if is_tiff(path):
        if len(shape) < len(layout.planes) + len(layout.plane):
            refuse(f"target = {path}: a TIFF has images, and the result is sums; name a .zarr")
        return TiffTarget(path, shape, dtype, layout, source)
    if path.suffix != ".zarr":
        refuse(f"target = {path}: its name must end in .zarr, .tif or .tiff")
    return ZarrTarget(path, shape, dtype, layout, source)
