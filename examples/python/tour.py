# A tour of the Python package, as a notebook: editors that know "# %%" show each part as a cell, and
# `jupytext --to notebook tour.py` makes an .ipynb file of it. `python tour.py` runs it from top to bottom, as
# the tests do.

# %% A picture: rings that get narrower, with a little noise
import numpy as np

import tilewright

rng = np.random.default_rng(0)
y, x = np.mgrid[-1:1:600j, -1:1:800j]
picture = 127 + 100 * np.sin(60 * (x**2 + y**2)) + rng.normal(0, 8, x.shape)
picture = picture.clip(0, 255).astype(np.uint8)

# %% Every operator is a function. It returns a NumPy array of its own
soft = tilewright.gaussian_blur(picture, sigma=3)
assert soft.shape == picture.shape and soft.dtype == np.uint8

# %% What there is: operators, the devices of this machine, and the schedules of one operator
for name, operator in tilewright.operators.items():
    print(f"{name:24} {operator.summary}")
for device in tilewright.devices():
    print(device)
for row in tilewright.rows("gaussian_blur", type="u8", backend="cpu"):
    print(row.schedule, "-", row.says)

# %% Results may go into memory that is there already, a part of a larger image too. Nothing is copied
sheet = np.zeros((600, 1600), np.uint8)
sheet[:, :800] = picture
stats = {}
tilewright.gaussian_blur(sheet[:, :800], 3, out=sheet[:, 800:], stats=stats)
assert (sheet[:, 800:] == soft).all() and stats["copied"] == []
print(stats["row"], f"{stats['total_ms']:.2f} ms")

# %% Several operators as one call: what is between them stays on the device
sums = tilewright.Pipeline("gaussian_blur sigma=3 | transpose | column_sum")(picture)
assert (sums == soft.sum(axis=1, dtype=np.uint32)).all()

# %% Arrays of the library stay where they were computed
own = tilewright.gaussian_blur(tilewright.Array.view(picture), 3)
print(own)
assert (own.numpy() == soft).all()

# %% Errors are exceptions of Python, in one line
try:
    tilewright.gaussian_blur(picture, sigma=-1)
except ValueError as error:
    print(error)

# %% Dask: an image in chunks, with the same bytes
try:
    import dask.array as da

    import tilewright.dask

    chunked = da.from_array(picture, chunks=(256, 256))
    assert (tilewright.dask.gaussian_blur(chunked, 3).compute() == soft).all()
except ImportError:
    print("dask is not installed")
