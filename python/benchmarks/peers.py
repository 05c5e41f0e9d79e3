"""Times calls from Python beside other libraries, where they are installed, on the CPU and on a CUDA device.

    python peers.py [cpu] [cuda] [torch]

`torch` is PyTorch and torchvision alone, on both.

Each time is the least of several rounds, in which all libraries take turns. On a CUDA device a round is
several calls on arrays that are there already, and the wait for the last one. Libraries continue an image
beyond its border in different ways, which hardly changes the times.
"""

import sys
import time

import numpy as np

import tilewright

RNG = np.random.default_rng(0)


def library(name):
    try:
        module = __import__(name)
        for part in name.split(".")[1:]:
            module = getattr(module, part)
        return module
    except ImportError as error:
        print(f"# not here: {name} ({error})")
        return None


def least(calls, rounds, count, wait=lambda: None):
    """The least microseconds per call of each function, by its name."""
    best = dict.fromkeys(calls, float("inf"))
    for name, call in list(calls.items()):
        try:
            call()
            wait()
        except Exception as error:  # a library of another version may not take this
            print(f"# {name}: {type(error).__name__}: {error}".splitlines()[0])
            del calls[name], best[name]
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(count):
                call()
            wait()
            best[name] = min(best[name], (time.perf_counter() - start) / count * 1e6)
    return best


def report(title, best):
    print(title)
    own = best.get("tilewright")
    for name, us in best.items():
        ratio = "" if name == "tilewright" or not own else f"   {us / own:.2f} times tilewright"
        print(f"    {name:44s}{us:12.2f} us{ratio}")
    sys.stdout.flush()


def on_cpu():
    cv2, ndimage = library("cv2"), library("scipy.ndimage")
    for side, count in ((1, 2000), (64, 1000), (512, 50), (4096, 1)):
        for dtype in ("uint8", "float32"):
            image = RNG.integers(0, 256, (side, side)).astype(dtype)
            out = np.empty_like(image)
            calls = {}
            if dtype == "uint8":
                own = tilewright.Array.view(image), tilewright.Array((side, side))
                calls = {
                    "tilewright": lambda: tilewright.invert(image, out=out, device="cpu"),
                    "tilewright, new result": lambda: tilewright.invert(image, device="cpu"),
                    "tilewright, its own arrays": lambda: tilewright.invert(own[0], out=own[1], device="cpu"),
                }
                if cv2:
                    calls["cv2.bitwise_not"] = lambda: cv2.bitwise_not(image, out)
                calls["numpy.invert"] = lambda: np.invert(image, out=out)
                report(f"invert {dtype} {side}x{side}", least(calls, 20, count))
            for sigma in (2, 10) if side > 64 else (2,):
                taps = 2 * int(4 * sigma + 0.5) + 1
                calls = {
                    "tilewright": lambda: tilewright.gaussian_blur(image, sigma, out=out, device="cpu"),
                    "tilewright, new result": lambda: tilewright.gaussian_blur(image, sigma, device="cpu"),
                }
                if cv2:
                    calls["cv2.GaussianBlur"] = lambda: cv2.GaussianBlur(
                        image, (taps, taps), sigma, out, sigma, cv2.BORDER_REFLECT
                    )
                if ndimage and side <= 512:
                    calls["scipy.ndimage.gaussian_filter"] = lambda: ndimage.gaussian_filter(image, sigma)
                report(f"blur sigma {sigma} {dtype} {side}x{side}", least(calls, 10, max(1, count // 2)))


def on_cuda():
    cupy = library("cupy")
    if cupy:
        with_cupy(cupy, library("cupyx.scipy.ndimage"))


def with_cupy(cupy, ndimage):
    def wait():
        cupy.cuda.Device().synchronize()

    def show(title, calls, count=20):
        report(f"CuPy: {title}", least(calls, 7, count, wait))

    small = cupy.zeros((64, 64), "uint8")
    small_out = cupy.empty_like(small)
    show(
        "invert uint8 64x64 (the cost of a call)",
        {
            "tilewright": lambda: tilewright.invert(small, out=small_out),
            "cupy.invert": lambda: cupy.invert(small, out=small_out),
        },
        200,
    )
    for dtype in ("uint8", "float32"):
        image = cupy.asarray(RNG.integers(0, 256, (4096, 4096)).astype(dtype))
        out, turned = cupy.empty_like(image), cupy.empty_like(image)
        for sigma in (2, 10):
            show(
                f"blur sigma {sigma} {dtype} 4096x4096",
                {
                    "tilewright": lambda: tilewright.gaussian_blur(image, sigma, out=out),
                    "tilewright, new result": lambda: tilewright.gaussian_blur(image, sigma),
                    "cupyx.scipy.ndimage.gaussian_filter": lambda: ndimage.gaussian_filter(
                        image, sigma, output=out
                    ),
                },
            )
        show(
            f"transpose {dtype} 4096x4096",
            {
                "tilewright": lambda: tilewright.transpose(image, out=turned),
                "cupy.copyto": lambda: cupy.copyto(turned, image.T),
            },
        )
        show(
            f"column_sum {dtype} 4096x4096",
            {
                "tilewright": lambda: tilewright.column_sum(image),
                "cupy.sum": lambda: image.sum(axis=0, dtype="uint32" if dtype == "uint8" else None),
            },
        )
    a, b = (cupy.asarray(RNG.random((4096, 4096), dtype=np.float32)) for _ in range(2))
    c = cupy.empty_like(a)
    show(
        "matmul float32 4096x4096",
        {
            "tilewright": lambda: tilewright.matmul(a, b, out=c),
            "cupy.matmul": lambda: cupy.matmul(a, b, out=c),
        },
    )
    field = (a + 1j * b).astype("complex64")
    show(
        "fft2d complex64 4096x4096",
        {"tilewright": lambda: tilewright.fft2d(field), "cupy.fft.fft2": lambda: cupy.fft.fft2(field)},
    )


def convolved(torch, image, sigma):
    """A blur as PyTorch programs write it: two convolutions with one row and one column of weights."""
    radius = int(4 * sigma + 0.5)
    at = torch.arange(-radius, radius + 1, device=image.device)
    weights = torch.exp(-0.5 * at**2 / sigma**2)
    weights = (weights / weights.sum())[None, None, None]
    pad, conv = torch.nn.functional.pad, torch.nn.functional.conv2d
    planes = image.float()[None, None]
    rows = conv(pad(planes, (radius, radius, 0, 0), mode="reflect"), weights)
    return conv(pad(rows, (0, 0, radius, radius), mode="reflect"), weights.mT)


def with_torch(place):
    torch, vision = library("torch"), library("torchvision.transforms.v2.functional")
    if not torch:
        return
    import tilewright.torch

    wait = torch.cuda.synchronize if place == "cuda" else lambda: None
    device = "cpu" if place == "cpu" else "auto"
    threads = "" if place == "cuda" else f", {torch.get_num_threads()} threads of PyTorch"
    small = torch.zeros((64, 64), dtype=torch.uint8, device=place)
    calls = {
        "tilewright": lambda: tilewright.invert(small, device=device),
        "tilewright.torch": lambda: tilewright.torch.invert(small),
        "torch.bitwise_not": lambda: torch.bitwise_not(small),
    }
    report(f"PyTorch, {place}{threads}: invert uint8 64x64 (the cost of a call)", least(calls, 10, 200, wait))
    side = 4096 if place == "cuda" else 1024  # torchvision's window is not separated: it is slow on a CPU
    for dtype in (torch.uint8, torch.float32):
        image = torch.from_numpy(RNG.integers(0, 256, (side, side)).astype("uint8")).to(place).to(dtype)
        out = torch.empty_like(image)
        for sigma in (2, 10):
            taps = 2 * int(4 * sigma + 0.5) + 1  # the window that tilewright has
            calls = {
                "tilewright": lambda: tilewright.gaussian_blur(
                    image, sigma, out=out, device=device
                ),
                "tilewright, new result": lambda: tilewright.gaussian_blur(image, sigma, device=device),
                "tilewright.torch": lambda: tilewright.torch.gaussian_blur(image, sigma=float(sigma)),
            }
            if vision:
                calls["torchvision gaussian_blur"] = lambda: vision.gaussian_blur(
                    image[None], [taps, taps], [sigma]
                )
            calls["two convolutions of PyTorch"] = lambda: convolved(torch, image, sigma)
            rounds, count = (5, 10) if place == "cuda" else (3, 1)
            title = f"PyTorch, {place}{threads}: blur sigma {sigma} {dtype} {side}x{side}"
            report(title, least(calls, rounds, count, wait))


def main():
    wanted = sys.argv[1:] or ["cpu", "cuda", "torch"]
    for device in tilewright.devices():
        print("#", device)
    cuda = any(d.usable and d.id == "cuda:0" for d in tilewright.devices())
    if "cpu" in wanted:
        on_cpu()
    if "cuda" in wanted and cuda:
        on_cuda()
    if "torch" in wanted:
        if cuda:
            with_torch("cuda")
        with_torch("cpu")


if __name__ == "__main__":
    main()
