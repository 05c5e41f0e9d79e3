"""Two worker processes, a zarr array larger than what one of them may hold, and the bytes of one call.

TILEWRIGHT_CLUSTER=large takes 2 GB and workers of 512 MB, which takes minutes; else it is 240 MB and 300 MB.
"""

import os
import pathlib
import re

import numpy as np
import pytest

dask = pytest.importorskip("dask")
zarr = pytest.importorskip("zarr")
distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402

import tilewright  # noqa: E402
import tilewright.dask as tiled  # noqa: E402

LARGE = os.environ.get("TILEWRIGHT_CLUSTER") == "large"
SHAPE, CHUNK, LIMIT = ((45056, 45056), 4096, 512) if LARGE else ((12288, 20480), 2048, 300)
SIGMA = 3


def band(row):
    """Some rows of the image, from `row` on."""
    rng = np.random.default_rng(row)
    return rng.integers(0, 256, (min(CHUNK, SHAPE[0] - row), SHAPE[1]), dtype=np.uint8)


def peak_bytes():
    # Not ru_maxrss: it begins with the memory of the process that started this one.
    return int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1]) * 1024


@pytest.fixture(scope="module")
def client():
    settings = {"distributed.nanny.pre-spawn-environ.HL_NUM_THREADS": "1"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=f"{LIMIT}MB", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def new_zarr(path):
    return zarr.create_array(path, shape=SHAPE, chunks=(CHUNK, CHUNK), dtype="uint8", compressors=None)


def test_blur_over_zarr(client, tmp_path):
    source, target = new_zarr(tmp_path / "in.zarr"), new_zarr(tmp_path / "out.zarr")
    for row in range(0, SHAPE[0], CHUNK):
        source[row : row + CHUNK] = band(row)
    workers = set(client.run(os.getpid).values())
    da.store(tiled.gaussian_blur(da.from_zarr(source), SIGMA, device="cpu"), target, lock=False)
    sums = tiled.column_sum(da.from_zarr(source), device="cpu").compute()
    peaks = client.run(peak_bytes)
    assert max(peaks.values()) < LIMIT * 1e6, peaks
    assert set(client.run(os.getpid).values()) == workers  # none was killed for its memory

    halo, want_sums = int(4 * SIGMA + 0.5), np.zeros(SHAPE[1], np.uint64)
    for row in range(0, SHAPE[0], CHUNK):  # one call on rows with their neighbours
        first, last = max(0, row - halo), min(SHAPE[0], row + CHUNK + halo)
        want = tilewright.gaussian_blur(source[first:last], SIGMA, device="cpu")
        np.testing.assert_array_equal(target[row : row + CHUNK], want[row - first : row - first + CHUNK])
        want_sums += source[row : row + CHUNK].sum(axis=0, dtype=np.uint64)
    np.testing.assert_array_equal(sums, want_sums.astype(np.uint32))
