"""Calls that say how far they are, and that are cancelled or interrupted."""

import signal
import threading
import time

import numpy as np
import pytest

import tilewright

# Takes seconds: 1.6e11 pairs, of which sorted numbers let few be left out.
LONG = np.sort(np.random.default_rng(1).random(400_000))


def long_call(**how):
    return tilewright.min_plus_convolution(LONG, LONG, device="cpu", **how)


def test_progress_cancels():
    parts = []
    with pytest.raises(tilewright.Error, match="^min_plus_convolution: the call was cancelled$"):
        long_call(progress=lambda done: parts.append(done) or len(parts) < 3)
    assert len(parts) == 3 and parts == sorted(parts) and 0 <= parts[0] and parts[-1] < 1


def test_what_progress_raises_leaves_the_call():
    def progress(done):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        long_call(progress=progress)
    with pytest.raises(LookupError, match="enough"):
        tilewright.Pipeline("min_plus_convolution")(LONG, LONG, device="cpu", progress=progress)


def test_progress_that_returns_nothing_goes_on():
    image = np.random.default_rng(2).random((900, 900), dtype=np.float32)
    want = tilewright.gaussian_blur(image, 3)
    assert (tilewright.gaussian_blur(image, 3, progress=lambda done: None) == want).all()


def test_progress_is_a_function():
    image = np.zeros((8, 8), np.uint8)
    with pytest.raises(TypeError, match="progress: .*function"):
        tilewright.invert(image, progress=3)
    with pytest.raises(TypeError, match="prepare\\(\\) takes no progress"):
        tilewright.prepare(tilewright.invert, image, progress=print)


def test_ctrl_c_interrupts_a_call():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    begin = time.monotonic()
    try:
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            long_call()
    finally:
        sender.join()
        signal.signal(signal.SIGINT, before)
    interrupted = time.monotonic() - begin
    assert tilewright.invert(np.zeros((8, 8), np.uint8)).min() == 255  # the next call is as before
    assert interrupted < 10
