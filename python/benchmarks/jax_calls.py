"""A blur under jax.jit beside two in JAX's own operations and one by jax.pure_callback: jax_calls.py
[SIDE SIGMA].

All take turns; what is printed is the least and the median time of each in milliseconds.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

import tilewright
import tilewright.jax


def main(side=2048, sigma=3.0):
    radius = int(4 * sigma + 0.5)
    bell = np.exp(-0.5 * np.arange(-radius, radius + 1) ** 2 / sigma**2)
    weights = [float(weight) for weight in bell / bell.sum()]
    image = jnp.asarray(np.random.default_rng(0).random((side, side), dtype=np.float32))

    def convolved(a):
        a = jnp.pad(a, radius, mode="symmetric")[None, None]
        a = jax.lax.conv(a, jnp.float32(weights)[None, None, :, None], (1, 1), "VALID")
        return jax.lax.conv(a, jnp.float32(weights)[None, None, None, :], (1, 1), "VALID")[0, 0]

    def shifted(a):
        a = jnp.pad(a, radius, mode="symmetric")
        a = sum(weight * a[k : k + side] for k, weight in enumerate(weights))
        return sum(weight * a[:, k : k + side] for k, weight in enumerate(weights))

    def called_back(a):
        def call(b):
            return tilewright.gaussian_blur(np.asarray(b), sigma, device="cpu")

        return jax.pure_callback(call, jax.ShapeDtypeStruct(a.shape, a.dtype), a)

    def ours(a):
        return tilewright.jax.gaussian_blur(a, sigma)

    calls = {
        "tilewright.jax": ours,
        "its gradient": jax.grad(lambda a: (ours(a) ** 2).sum()),
        "tilewright by jax.pure_callback": called_back,
        "sums of shifted images": shifted,
        "jax.lax.conv": convolved,
    }
    calls = {name: jax.jit(call) for name, call in calls.items()}
    assert np.abs(calls["tilewright.jax"](image) - calls["jax.lax.conv"](image)).max() < 1e-5
    times = {name: [] for name in calls}
    for _ in range(12):
        for name, call in calls.items():
            start = time.perf_counter()
            call(image).block_until_ready()
            times[name].append(1e3 * (time.perf_counter() - start))
    for name, all_of_it in times.items():
        print(f"{name:32} {min(all_of_it[1:]):9.2f} {np.median(all_of_it[1:]):9.2f}")


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((int, float), sys.argv[1:])))
