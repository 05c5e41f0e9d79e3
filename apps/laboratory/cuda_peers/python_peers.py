#!/usr/bin/env python3
"""Times what one would call from Python in place of an operator, and prints the JSON of `tilewright bench`.

Usage: python_peers.py [OPERATOR ...] [--size WIDTHxHEIGHT[,...]] [--device cpu|cuda] [--json FILE]

Peers: NumPy, SciPy and OpenCV on the CPU, PyTorch and CuPy on a CUDA device, each where it is installed;
what is missing is named on standard error and in the JSON. `tilewright report` and `tilewright compare` read
the file. The rules are those of `bench`: several sets of buffers, so that no cache holds the data; batches of
calls back to back, of which the median and the 10th and 90th percentile count; on a GPU, events of the device
around a batch. Each result is compared with NumPy's in f64.
"""
import argparse
import datetime
import importlib
import json
import platform
import sys
import time

import numpy as np

SIZES = {'matmul': [(512, 512), (1024, 1024)], 'fft2d': [(1024, 1024)]}


class Module:
    """A package that may be missing."""
    missing = {}

    @staticmethod
    def find(name):
        try:
            return importlib.import_module(name)
        except Exception as error:  # an installed package may fail in any way where its driver is missing
            Module.missing[name] = ' '.join(str(error).split()) or type(error).__name__
            return None


# -------------------------------------------------------------------------------------------------- problems

def gaussian(image, sigma):
    """The blur with the weights, the radius floor(4 sigma + .5) and the border `reflect` of gaussian_blur."""
    radius = int(4 * sigma + .5)
    weights = np.exp(-np.arange(-radius, radius + 1) ** 2 / (2 * sigma ** 2))
    weights /= weights.sum()
    for axis in (0, 1):
        width = [(radius, radius) if a == axis else (0, 0) for a in (0, 1)]
        padded, side = np.pad(image, width, mode='symmetric'), image.shape[axis]
        image = sum(w * padded.take(np.arange(i, i + side), axis) for i, w in enumerate(weights))
    return image


def problems(operator, size):
    """(type, data, settings, inputs, expected, relative bound, bytes, operations) of an operator."""
    width, height = size
    random = np.random.default_rng(1)
    text = f'{width}x{height}'
    if operator in ('column_sum', 'row_sum'):
        axis = 0 if operator == 'column_sum' else 1
        for kind in ('u8', 'f32'):
            a = (random.integers(0, 256, (height, width), dtype=np.uint8) if kind == 'u8'
                 else random.random((height, width), dtype=np.float32))
            right = a.sum(axis, dtype=np.float64)
            bound = 0 if kind == 'u8' else 1e-4
            yield kind, f'{kind} {text}', {}, [a], right, bound, a.nbytes + 4 * right.size, 0
    elif operator == 'transpose':
        for kind, dtype in (('u8', np.uint8), ('u16', np.uint16), ('f32', np.float32)):
            a = random.integers(0, 256, (height, width)).astype(dtype)
            yield kind, f'{kind} {text}', {}, [a], a.T.astype(np.float64), 0, 2 * a.nbytes, 0
    elif operator == 'matmul' and width == height:
        a, b = (random.random((width, width), dtype=np.float32) for _ in range(2))
        yield ('f32', f'f32 {width}x{width}x{width}', {}, [a, b], a.astype(np.float64) @ b, 1e-4,
               3 * a.nbytes, 2. * width ** 3)
    elif operator == 'fft2d':
        a = (random.random((height, width), dtype=np.float32) +
             1j * random.random((height, width), dtype=np.float32)).astype(np.complex64)
        yield ('c64', f'c64 {text}', {}, [a], np.fft.fft2(a.astype(np.complex128)), 1e-4, 2 * a.nbytes,
               5. * a.size * np.log2(a.size))
    elif operator == 'gaussian_blur':
        a = random.random((height, width), dtype=np.float32)
        for sigma in (1, 3, 10):
            yield ('f32', f'f32 {text} sigma {sigma} reflect', {'sigma': sigma}, [a],
                   gaussian(a.astype(np.float64), sigma), 1e-4, 2 * a.nbytes,
                   2. * 2 * (2 * int(4 * sigma + .5) + 1) * a.size)


OPERATORS = ['column_sum', 'row_sum', 'transpose', 'matmul', 'fft2d', 'gaussian_blur']


# ----------------------------------------------------------------------------------------------------- peers

def cpu_peers(operator, kind, settings):
    """(name, call) of each peer on the CPU. A call takes the inputs and gives the result."""
    cv2, scipy_fft, ndimage = Module.find('cv2'), Module.find('scipy.fft'), Module.find('scipy.ndimage')
    axis = 0 if operator == 'column_sum' else 1
    if operator in ('column_sum', 'row_sum'):
        dtype = np.uint32 if kind == 'u8' else np.float32
        yield 'NumPy sum', lambda a: a.sum(axis, dtype=dtype)
        if cv2:
            depth = cv2.CV_32S if kind == 'u8' else cv2.CV_32F
            yield 'OpenCV reduce', lambda a: cv2.reduce(a, axis, cv2.REDUCE_SUM, dtype=depth).ravel()
    elif operator == 'transpose':
        yield 'NumPy copy of the transpose', lambda a: np.ascontiguousarray(a.T)
        if cv2:
            yield 'OpenCV transpose', cv2.transpose
    elif operator == 'matmul':
        yield 'NumPy matmul', lambda a, b: a @ b
    elif operator == 'fft2d' and scipy_fft:
        yield 'SciPy fft2', lambda a: scipy_fft.fft2(a, workers=-1)
    elif operator == 'gaussian_blur':
        sigma = settings['sigma']
        side = 2 * int(4 * sigma + .5) + 1
        if cv2:
            yield 'OpenCV GaussianBlur', lambda a: cv2.GaussianBlur(
                a, (side, side), sigma, borderType=cv2.BORDER_REFLECT)
        if ndimage:
            yield 'SciPy gaussian_filter', lambda a: ndimage.gaussian_filter(a, sigma, mode='reflect')


def torch_peers(torch, operator, kind):
    axis = 0 if operator == 'column_sum' else 1
    if operator in ('column_sum', 'row_sum'):
        dtype = torch.int32 if kind == 'u8' else torch.float32
        yield 'PyTorch sum', lambda a: a.sum(axis, dtype=dtype)
    elif operator == 'transpose':
        yield 'PyTorch contiguous transpose', lambda a: a.T.contiguous()
    elif operator == 'matmul':
        yield 'PyTorch matmul (f32)', torch.matmul
    elif operator == 'fft2d':
        yield 'PyTorch fft2', torch.fft.fft2


def cupy_peers(cupy, operator, kind, settings):
    axis = 0 if operator == 'column_sum' else 1
    if operator in ('column_sum', 'row_sum'):
        dtype = cupy.uint32 if kind == 'u8' else cupy.float32
        yield 'CuPy sum', lambda a: a.sum(axis, dtype=dtype)
    elif operator == 'transpose':
        yield 'CuPy copy of the transpose', lambda a: cupy.ascontiguousarray(a.T)
    elif operator == 'matmul':
        yield 'CuPy matmul', cupy.matmul
    elif operator == 'fft2d':
        yield 'CuPy fft2', cupy.fft.fft2
    elif operator == 'gaussian_blur':
        filters = Module.find('cupyx.scipy.ndimage')
        if filters:
            yield 'CuPy gaussian_filter', lambda a: filters.gaussian_filter(
                a, settings['sigma'], mode='reflect')


# ----------------------------------------------------------------------------------------------------- times

class Host:
    """Clocks of the CPU."""
    def __init__(self):
        self.start = 0

    def begin(self):
        self.start = time.perf_counter()

    def end_ms(self):
        return (time.perf_counter() - self.start) * 1000


class TorchEvents:
    def __init__(self, torch):
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def begin(self):
        self.events[0].record()

    def end_ms(self):
        self.events[1].record()
        self.events[1].synchronize()
        return self.events[0].elapsed_time(self.events[1])


class CupyEvents:
    def __init__(self, cupy):
        self.cupy = cupy
        self.events = [cupy.cuda.Event() for _ in range(2)]

    def begin(self):
        self.events[0].record()

    def end_ms(self):
        self.events[1].record()
        self.events[1].synchronize()
        return self.cupy.cuda.get_elapsed_time(*self.events)


def timed(call, sets, clock, given):
    """Times of a call in milliseconds, the size of a batch, and the last result."""
    for inputs in sets:
        result = call(*inputs)
    clock.begin()
    result = call(*sets[0])
    calls = max(3., given.limit * 1000 / max(clock.end_ms(), 1e-3))
    batch = max(1, min(given.batch, int(calls / given.repeats)))
    repeats = int(max(3, min(given.repeats, calls / batch)))
    times, at = [], 0
    for _ in range(repeats):
        clock.begin()
        for _ in range(batch):
            result = call(*sets[at % len(sets)])
            at += 1
        times.append(clock.end_ms() / batch)
    p10, median, p90 = (float(np.quantile(times, q)) for q in (.1, .5, .9))
    return {'median': median, 'p10': p10, 'p90': p90}, batch, repeats, result


def difference(result, right, bound):
    """The first fault as a sentence, or an empty one. The bound is relative to the largest right value."""
    if result.shape != right.shape:
        return f'the result has the shape {result.shape} and must have {right.shape}'
    worst = float(np.max(np.abs(result - right)))
    limit = bound * float(np.max(np.abs(right)))
    return '' if worst <= limit else f'an element is {worst:.3g} off the right value; {limit:.3g} is allowed'


def peers_of(given, operator, kind, settings):
    """(name, call, clock, to the device, from the device) of each peer on the device that was asked for."""
    if given.device == 'cpu':
        for name, call in cpu_peers(operator, kind, settings):
            yield name, call, Host(), lambda a: a, lambda a: a
        return
    torch, cupy = Module.find('torch'), Module.find('cupy')
    if torch and torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = False
        if kind != 'u16':  # PyTorch has few operations for u16
            for name, call in torch_peers(torch, operator, kind):
                yield (name, call, TorchEvents(torch), lambda a: torch.from_numpy(a).cuda(),
                       lambda a: a.cpu().numpy())
    if cupy:
        for name, call in cupy_peers(cupy, operator, kind, settings):
            yield name, call, CupyEvents(cupy), cupy.asarray, cupy.asnumpy


def run_of(given, operator, size, problem, peer):
    kind, data, settings, inputs, right, bound, moved, operations = problem
    name, call, clock, to_device, from_device = peer
    run = {'peer': name, 'operator': operator, 'type': kind, 'backend': given.device,
           'device': 'cpu' if given.device == 'cpu' else 'cuda:0', 'data': data, 'width': size[0],
           'height': size[1], 'settings': ' '.join(f'{k}={v}' for k, v in settings.items())}
    try:
        # As `bench`: small inputs of a CPU stay in its cache, because a program has just written them.
        in_cache = given.device == 'cpu' and sum(a.nbytes for a in inputs) <= 2.5e6
        count = 2 if in_cache else int(np.clip(np.ceil(128e6 / moved) + 1, 2, 128))
        sets = [[to_device(a.copy()) for a in inputs] for _ in range(count)]
        times, batch, repeats, result = timed(call, sets, clock, given)
        wrong = difference(np.asarray(from_device(result), dtype=right.dtype), right, bound)
    except Exception as error:  # a library's own error: the other peers go on
        run['failed'] = ' '.join(str(error).split()) or type(error).__name__
        return run
    seconds = times['median'] / 1000
    run |= {'real_time': times['median'], 'time_unit': 'ms', 'iterations': batch, 'repetitions': repeats,
            'batch': times, 'buffer_sets': count, 'bytes': moved, 'flops': operations,
            'bytes_per_second': moved / seconds, 'flops_per_second': operations / seconds,
            'verified': not wrong, 'verified_by': 'NumPy in f64', 'wrong': wrong}
    return run


# ----------------------------------------------------------------------------------------------- the program

def cpu_name():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            return next(line.split(':', 1)[1].strip() for line in file if line.startswith('model name'))
    except (OSError, StopIteration):
        return platform.processor()


def context(given):
    names = {'device_name': cpu_name(), 'driver': 'Python ' + platform.python_version()}
    torch, cupy = sys.modules.get('torch'), sys.modules.get('cupy')
    if given.device == 'cuda' and torch and torch.cuda.is_available():
        names = {'device_name': torch.cuda.get_device_name(0), 'driver': f'CUDA {torch.version.cuda}'}
    elif given.device == 'cuda' and cupy:
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        names = {'device_name': properties['name'].decode(), 'driver': 'CUDA by CuPy'}
    versions = {name: getattr(sys.modules[name], '__version__', '?')
                for name in ('numpy', 'scipy', 'cv2', 'torch', 'cupy') if sys.modules.get(name)}
    now = datetime.datetime.now(datetime.timezone.utc)
    return {'date': now.strftime('%Y-%m-%dT%H:%M:%SZ'), 'commit': '', **names, 'machine': platform.node(),
            'packages': versions}


def sizes_of(text):
    try:
        return [tuple(int(side) for side in (one + 'x1').split('x')[:2]) for one in text.split(',')]
    except ValueError:
        sys.exit(f'python_peers.py: --size {text}: takes WIDTHxHEIGHT, for example 4096x4096')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('operators', nargs='*', metavar='OPERATOR',
                        help=', '.join(OPERATORS) + ' (default: all)')
    parser.add_argument('--size', help='sizes with commas between them (default: 4096x4096, or what fits)')
    parser.add_argument('--device', choices=('cpu', 'cuda'), default='cpu')
    parser.add_argument('--batch', type=int, default=20, help='calls per measurement')
    parser.add_argument('--repeats', type=int, default=21, help='measurements')
    parser.add_argument('--limit', type=float, default=5, help='seconds that a peer may take, about')
    parser.add_argument('--json', default='-', metavar='FILE', help='where to write (- is standard output)')
    given = parser.parse_args()
    unknown = [name for name in given.operators if name not in OPERATORS]
    if unknown:
        parser.error(f'no peers of {", ".join(unknown)}; there are some of {", ".join(OPERATORS)}')
    runs = []
    for operator in given.operators or OPERATORS:
        for size in sizes_of(given.size) if given.size else SIZES.get(operator, [(4096, 4096)]):
            for problem in problems(operator, size):
                for peer in peers_of(given, operator, problem[0], problem[2]):
                    runs.append(run_of(given, operator, size, problem, peer))
                    print(f"{runs[-1]['peer']:<32} {problem[1]:<32} "
                          f"{runs[-1].get('real_time', float('nan')):10.4f} ms "
                          f"{runs[-1].get('failed') or runs[-1].get('wrong') or ''}", file=sys.stderr)
    for name, why in Module.missing.items():
        print(f'python_peers.py: no peers of {name}: {why}', file=sys.stderr)
    text = json.dumps({'version': 2, 'program': 'python_peers', 'context': context(given),
                       'missing': Module.missing, 'runs': runs}, indent=1) + '\n'
    if given.json == '-':
        sys.stdout.write(text)
    else:
        with open(given.json, 'w', encoding='utf-8') as file:
            file.write(text)
    return 6 if any(run.get('wrong') for run in runs) else 0


if __name__ == '__main__':
    sys.exit(main())
