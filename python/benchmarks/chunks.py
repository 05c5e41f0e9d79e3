"""Times a blur of an image in chunks, from zarr to zarr, beside dask-image and a plain copy.

    python chunks.py [--side 45056] [--chunk 4096] [--workers 2] [--limit-mb 512] [--sigma 3] [--folder /tmp]

Each work gets a Dask cluster of its own, of processes with one thread and so much memory each, and reads and
writes the same uncompressed uint8 array. Printed are the seconds, the megabytes of the image per second, the
CPU time of all workers (user and system), the largest memory that a worker process held, and how many workers
Dask restarted because of their memory.
"""

import argparse
import os
import pathlib
import re
import resource
import tempfile
import time

import dask
import dask.array as da
import distributed
import numpy as np
import zarr

import tilewright.dask


def used():
    """(peak megabytes, seconds of CPU time) of this process."""
    # Not ru_maxrss: it begins with the memory of the process that started this one.
    status = pathlib.Path("/proc/self/status").read_text()
    kibibytes = int(re.search(r"VmHWM:\s*(\d+)", status)[1])
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return kibibytes * 1.024e-3, usage.ru_utime + usage.ru_stime


def works(sigma):
    """What is timed, by its name: functions of a Dask array."""
    made = {
        "copy": lambda image: image,
        "tilewright.dask": lambda image: tilewright.dask.gaussian_blur(image, sigma, device="cpu"),
        "tilewright.dask, recursive": lambda image: tilewright.dask.recursive_gaussian(
            image, sigma, device="cpu"
        ),
    }
    try:
        from dask_image.ndfilters import gaussian_filter

        made["dask-image"] = lambda image: gaussian_filter(image, sigma)
    except ImportError as error:
        print(f"# not here: dask-image ({error})")
    return made


def new_array(path, side, chunk):
    return zarr.create_array(
        path, shape=(side, side), chunks=(chunk, chunk), dtype="uint8", compressors=None, overwrite=True
    )


def timed(work, source, target, options):
    settings = {"distributed.nanny.pre-spawn-environ.HL_NUM_THREADS": "1"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            memory_limit=f"{options.limit_mb}MB",
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        cpu_before = sum(cpu for _, cpu in client.run(used).values())
        start = time.perf_counter()
        da.store(work(da.from_zarr(source)), target, lock=False)
        seconds = time.perf_counter() - start
        peaks, cpu = zip(*client.run(used).values())
        return seconds, sum(cpu) - cpu_before, max(peaks), len(before - set(client.run(os.getpid).values()))


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("side", 45056), ("chunk", 4096), ("workers", 2), ("limit-mb", 512), ("sigma", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source = new_array(f"{folder}/in.zarr", options.side, options.chunk)
        rng = np.random.default_rng(0)
        for row in range(0, options.side, options.chunk):
            rows = min(options.chunk, options.side - row)
            source[row : row + rows] = rng.integers(0, 256, (rows, options.side), dtype=np.uint8)
        megabytes = options.side**2 / 1e6
        print(f"# {megabytes:.0f} MB in chunks of {options.chunk**2 / 1e6:.1f} MB, sigma {options.sigma},")
        print(f"# {options.workers} workers of {options.limit_mb} MB", flush=True)
        for name, work in works(options.sigma).items():
            target = new_array(f"{folder}/out.zarr", options.side, options.chunk)
            try:
                seconds, cpu, peak, restarts = timed(work, source, target, options)
            except Exception as error:  # a worker that was killed for its memory
                print(f"{name:28s} failed: {type(error).__name__}: {error}".splitlines()[0], flush=True)
                continue
            print(
                f"{name:28s}{seconds:8.1f} s {megabytes / seconds:8.1f} MB/s {cpu:8.1f} s of CPU"
                f" {peak:6.0f} MB at most {restarts:4d} restarts",
                flush=True,
            )


if __name__ == "__main__":
    main()
