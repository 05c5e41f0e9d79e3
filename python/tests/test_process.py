"""Threads, forks, the import, the command line, and what the compiled module exports."""

import ast
import concurrent.futures
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tilewright
from tilewright import _tilewright

IMAGE = np.random.default_rng(5).integers(0, 256, (301, 403), dtype=np.uint8)


def run(*words, **how):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=120, **how)


def test_modules_come_by_their_names():
    program = "import sys, tilewright as t; assert 'tilewright.ndimage' not in sys.modules"
    done = run("-c", program + "; print(t.ndimage.gaussian_filter([[1.0]], 2), 'torch' in dir(t))")
    assert done.stdout == "[[1.]] True\n", done.stderr


def test_the_program_needs_no_numpy():
    program = "import sys; sys.modules['numpy'] = None; sys.argv[1:] = ['help', '--json']"
    done = run("-c", program + "; import runpy; runpy.run_module('tilewright', run_name='__main__')")
    assert done.returncode == 0 and done.stdout.startswith("{"), done.stderr


def test_modules_of_packages_that_are_not_installed():
    program = """
import sys
sys.modules.update(jax=None, torch=None)  # as if they were not installed
import pydoc, tilewright
assert not hasattr(tilewright, "torch") and hasattr(tilewright, "ndimage")
assert "gaussian_blur" in pydoc.render_doc(tilewright)
try:
    from tilewright import torch
except ImportError as error:
    print(error.name)
"""
    done = run("-c", program)
    assert (done.stdout, done.stderr) == ("torch\n", "")


def test_threads_work_at_the_same_time():
    want = tilewright.gaussian_blur(IMAGE, 3)
    devices = ["cpu"] + [d.id for d in tilewright.devices() if d.usable and d.id != "cpu"][:1]

    def work(i):
        return (tilewright.gaussian_blur(IMAGE, 3, device=devices[i % len(devices)]) == want).all()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_other_python_threads_run_during_a_call():
    image = np.zeros((1000, 1000), np.float32)
    count, stop = [0], threading.Event()

    def counting():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=counting)
    thread.start()
    before = count[0]
    tilewright.gaussian_blur(image, 30, device="cpu", schedule="reference")
    during = count[0] - before
    stop.set()
    thread.join()
    assert during > 100


def child(queue):
    queue.put(int(tilewright.gaussian_blur(IMAGE, 3, device="cpu").sum()))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_calls_in_other_processes(method):
    want = int(tilewright.gaussian_blur(IMAGE, 3, device="cpu").sum())
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [context.Process(target=child, args=(queue,)) for _ in range(3)]
    for process in processes:
        process.start()
    assert [queue.get(timeout=60) for _ in processes] == [want] * 3
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert int(tilewright.gaussian_blur(IMAGE, 3, device="cpu").sum()) == want


FORK_AFTER_GPU = """
import numpy, os, tilewright
image = numpy.zeros((9, 9), numpy.uint8)
tilewright.invert(image, device="opencl")
if os.fork() == 0:
    try:
        tilewright.invert(image, device="opencl")
    except tilewright.DeviceError as error:
        os._exit(0 if "spawn" in str(error) and tilewright.invert(image, device="cpu").all() else 1)
    os._exit(2)
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_gpu_after_a_fork_is_refused():
    if not any(d.usable and d.id == "opencl:0" for d in tilewright.devices()):
        pytest.skip("no OpenCL device")
    assert run("-c", FORK_AFTER_GPU).returncode == 0


FORK_IN_A_CALL = """
import numpy, os, sys, threading, time, tilewright
image = numpy.zeros((2000, 3000), numpy.float32)
begun, done = threading.Event(), threading.Event()

def progress(part):
    begun.set()
    return True

def compute():
    while not done.is_set():
        begun.set()
        told = progress if "progress" in sys.argv else None
        tilewright.gaussian_blur(image, 20, device="cpu", progress=told)

def fork():
    begun.wait()
    for _ in range(4):
        time.sleep(.1)
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if tilewright.invert(numpy.zeros((9, 9), numpy.uint8), device="cpu").all() else 1)
            except tilewright.Error as error:  # the fork did not wait for a call that wants the lock
                os._exit(0 if "forked" in str(error) else 2)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            print("wrong")
    done.set()

works, forks = (compute, fork) if "main" in sys.argv else (fork, compute)
other = threading.Thread(target=forks)
other.start()
works()
other.join()
"""


@pytest.mark.parametrize("words", [["main"], ["main", "progress"], [], ["progress"]])
def test_a_fork_while_another_thread_is_in_a_call(words):
    done = run("-c", FORK_IN_A_CALL, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


DAEMONS_AT_THE_END = """
import numpy, sys, threading, time, tilewright

def work(image):
    while True:
        tilewright.gaussian_blur(image, sigma=3, device="cpu")

# Some calls take longer than the 50 ms after which a call looks for signals.
images = [numpy.ones(shape, numpy.uint8) for shape in ((300, 600), (6000, 9000))]
for i in range(4):
    image = images[i // 2]
    threading.Thread(target=work, args=[image[:, ::2] if i % 2 else image], daemon=True).start()
time.sleep(.2)
if "exit" in sys.argv:
    raise SystemExit(7)
"""


@pytest.mark.parametrize("words, code", [([], 0), (["exit"], 7)])
def test_daemon_threads_that_are_in_a_call_when_the_program_ends(words, code):
    for _ in range(3):
        done = run("-c", DAEMONS_AT_THE_END, *words)
        assert (done.returncode, done.stderr) == (code, "")


OTHER_THREADS_AT_THE_END = """
import atexit, numpy, threading, time, tilewright

def work():
    for _ in range(30):
        tilewright.gaussian_blur(image, sigma=3, device="cpu")
    done.append(1)

done = []
image = numpy.ones((300, 300), numpy.uint8)
for i in range(4):
    threading.Thread(target=work).start()
atexit.register(lambda: print(len(done)))  # which runs when they have ended
"""


def test_other_threads_end_before_the_program_does():
    done = run("-c", OTHER_THREADS_AT_THE_END)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


def test_import_is_quick():
    # The least of several, of the processor's time, which other programs do not lengthen: beyond NumPy, of
    # the module itself.
    code = (
        "import numpy, time; t = time.process_time(); import tilewright; "
        "print((time.process_time() - t) * 1e3)"
    )
    assert min(float(run("-c", code).stdout) for _ in range(5)) < 60


def test_import_loads_no_driver_and_no_large_module():
    code = (
        "import tilewright, sys; maps = open('/proc/self/maps').read(); "
        "assert 'libcuda' not in maps and 'OpenCL' not in maps and 'pocl' not in maps; "
        "assert 'dask' not in sys.modules and 'torch' not in sys.modules"
    )
    assert run("-c", code).returncode == 0


def test_the_environment_names_the_device():
    code = (
        "import numpy, tilewright; tilewright.invert(numpy.zeros((3000, 3000), 'u1')); "
        "maps = open('/proc/self/maps').read(); assert 'libcuda' not in maps and 'OpenCL' not in maps"
    )
    on_cpu = run("-c", code, env={**os.environ, "TILEWRIGHT_DEVICE": "cpu"})
    assert on_cpu.returncode == 0, on_cpu.stderr
    nowhere = run("-c", code, env={**os.environ, "TILEWRIGHT_DEVICE": "abacus"})
    assert nowhere.returncode != 0 and "TILEWRIGHT_DEVICE is abacus" in nowhere.stderr


def test_command_line():
    version = run("-m", "tilewright", "--version")
    assert version.returncode == 0 and tilewright.__version__ in version.stdout
    wrong = run("-m", "tilewright", "invert", "no_such_file.png", "x.png")
    assert wrong.returncode == 3 and len(wrong.stderr.strip().splitlines()) == 1


def test_command_line_takes_names_that_are_no_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff\xfe.npy"
    with open(name, "wb") as file:
        np.save(file, IMAGE)
    out = tmp_path / "out.npy"
    done = subprocess.run([sys.executable, "-m", "tilewright", "invert", name, out], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (np.load(out) == 255 - IMAGE).all()


def test_command_line_can_be_interrupted():
    words = ["bench", "invert", "--device", "cpu", "--schedule", "tuned", "--size", "64x64"]
    endless = ["--repeats", "1000000", "--batch", "100000", "--limit", "1000"]
    bench = subprocess.Popen(
        [sys.executable, "-m", "tilewright", *words, *endless],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert bench.stdout.readline().startswith(b"#")  # it has begun
        bench.send_signal(signal.SIGINT)
        assert bench.wait(timeout=60) == 130
    finally:
        bench.kill()


def test_bench_and_verify():
    done = tilewright.bench("invert", schedule="reference", device="cpu", size="64x64", type="u8", repeats=3)
    assert len(done["runs"]) == 1 and "invert/reference/u8/cpu" in str(done["runs"][0])
    assert tilewright.verify("invert", device="cpu", schedule="reference", repeat=1)
    explained = tilewright.explain("invert", IMAGE, device="cpu")
    assert "invert/" in str(explained)
    assert explained["data"].startswith("image, ") and "/" not in explained["data"]
    with pytest.raises(tilewright.ArgumentError, match="image is c64") as caught:
        tilewright.explain("invert", IMAGE.astype("complex64"), device="cpu")
    assert ".npy" not in str(caught.value)
    with pytest.raises(TypeError, match="explain: takes arrays of numbers, not str"):
        tilewright.explain("invert", "photo.png")
    with pytest.raises(tilewright.ArgumentError, match="no_such"):
        tilewright.bench("no_such")


def test_exports():
    """Nothing of Halide's runtime or of the archives: another library's would stand in for it."""
    module = _tilewright.__file__
    listed = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("nm is not here")
    names = [line.split()[-1] for line in listed.stdout.splitlines()]
    assert "PyInit__tilewright" in names
    assert not [
        name
        for name in names
        if "halide" in name.lower() or "tilewright" in name.lower() and name != "PyInit__tilewright"
    ]


def test_stub_and_type_marker():
    folder = pathlib.Path(tilewright.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_tilewright.pyi").read_text()
    body = ast.parse(stub).body
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    names = set(classes) | {node.name for node in body if isinstance(node, ast.FunctionDef)}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    assert names == {name for name in dir(_tilewright) if name[0] != "_" or name == "__version__"}
    for name, node in classes.items():
        assert [ast.unparse(base) for base in node.bases] == [
            base.__name__ for base in getattr(_tilewright, name).__bases__ if base is not object
        ]
    described = {node.target.id for node in classes["Error"].body if isinstance(node, ast.AnnAssign)}
    with pytest.raises(tilewright.Error) as raised:
        tilewright.invert(np.zeros((2, 2), np.uint8), device="none")
    assert described == set(vars(raised.value))
