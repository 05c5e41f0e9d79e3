#!/usr/bin/env python3
"""Times calls from Python beside those of other libraries, and writes JSON as `tilewright bench` does.

Usage: python_calls.py [CASE ...] [--device cpu|cuda] [--size WIDTHxHEIGHT[,...]] [--json FILE]
                       [--threads N] [--cpu avx2] [--rounds N] [--batch N] [--limit SECONDS]

Libraries: Tilewright, NumPy, SciPy, OpenCV, MKL and PyTorch on the CPU, CuPy, CV-CUDA and PyTorch on a CUDA
device, each where it is installed; what is missing is named on standard error and in the JSON. CASE is a part
of a case's name, such as `gaussian_blur` or `transpose u8 640x480`.

The rules are those of `bench`: several sets of buffers, so that no cache holds the data (on a CPU, inputs of
at most 2.5 MB stay in it); batches of calls back to back, of which the median and the 10th and 90th
percentile count; libraries take turns. `cpu_ms` is the least CPU time of all threads per call, which the load
of other programs hardly changes. The process stays on the first N CPUs. --cpu avx2 leaves AVX-512 out, of
every library. Each result is compared with the first one of Tilewright, within what the libraries' own
windows and borders allow.
"""
import argparse
import dataclasses
import datetime
import json
import os
import platform
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# What keeps AVX-512 out of each library.
WITHOUT_AVX512 = {
    'TILEWRIGHT_INSTRUCTION_SET': 'avx2',
    'OPENCV_CPU_DISABLE': 'AVX512_SKX,AVX512_ICL',
    'MKL_ENABLE_INSTRUCTIONS': 'AVX2',
    'NPY_DISABLE_CPU_FEATURES': 'AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR',
    'OPENBLAS_CORETYPE': 'Haswell',
}


@dataclasses.dataclass
class Case:
    operator: str
    kind: str
    width: int
    height: int
    sigma: float = 0

    @property
    def channels(self):
        return 3 if self.kind.startswith('rgb') else 1

    @property
    def data(self):
        size = str(self.width) if self.operator in ('matmul', 'fft2d') else f'{self.width}x{self.height}'
        return f'{self.kind} {size}' + (f' sigma {self.sigma:g}' if self.sigma else '')


# Types, sizes and sigmas of each operator.
CASES = {
    'column_sum': (('u8', 'f32'), ('64x64', '640x480', '8192x8192'), (0,)),
    'row_sum': (('u8', 'f32'), ('64x64', '640x480', '8192x8192'), (0,)),
    'transpose': (('u8', 'u16', 'f32', 'rgb8'), ('256x256', '640x480', '4096x4096', '8192x8192'), (0,)),
    'gaussian_blur': (('u8', 'u16', 'f32', 'rgb8'), ('1x1', '64x64', '512x512', '640x480', '1024x1024',
                                                     '4096x4096'), (1, 2, 3, 10)),
    'recursive_gaussian': (('u8', 'f32'), ('4096x4096',), (5,)),
    'matmul': (('f32',), ('32', '64', '128', '512', '1024', '2048', '4096'), (0,)),
    'fft2d': (('c64',), ('256', '512', '1024', '2048', '4096'), (0,)),
    'invert': (('u8',), ('1x1', '64x64', '512x512', '4096x4096'), (0,)),
}


def cases_of(given):
    for operator, (kinds, sizes, sigmas) in CASES.items():
        for kind in kinds:
            for size in given.size.split(',') if given.size else sizes:
                sides = [int(side) for side in size.split('x')]
                for sigma in sigmas:
                    case = Case(operator, kind, sides[0], sides[-1], sigma)
                    name = f'{operator} {case.data}'
                    if not given.cases or any(part in name for part in given.cases):
                        yield case


def inputs_of(np, case):
    random = np.random.default_rng(1)
    shape = (case.height, case.width) + ((3,) if case.channels > 1 else ())
    if case.kind == 'c64':
        real, imaginary = (random.random(shape, np.float32) for _ in range(2))
        return [(real + 1j * imaginary).astype(np.complex64)]
    if case.kind == 'f32':
        return [random.random(shape, np.float32) for _ in range(2 if case.operator == 'matmul' else 1)]
    top, element = (65536, np.uint16) if case.kind == 'u16' else (256, np.uint8)
    return [random.integers(0, top, shape, element)]


class Timed:
    """One way to compute a case: its buffers, and the times of its batches."""
    def __init__(self, library, name, call, inputs, given):
        self.library, self.name, self.call, self.at = library, name, call, 0
        moved = 2 * sum(array.nbytes for array in inputs)
        in_cache = given.device == 'cpu' and moved <= 5e6
        count = 2 if in_cache else max(2, min(128, int(128e6 / moved) + 2))
        self.sets = [[library.put(array.copy()) for array in inputs] for _ in range(count)]
        self.results = [call(*inputs_of_set, None) for inputs_of_set in self.sets]
        library.begin()
        self.once()
        ms = max(library.end_ms(), 1e-4)
        self.batch = max(1, min(given.batch, int(given.limit * 1000 / ms / given.rounds)))
        self.wall, self.cpu = [], []

    def once(self):
        i = self.at % len(self.sets)
        self.call(*self.sets[i], self.results[i])
        self.at += 1

    def round(self):
        cpu = time.process_time()
        self.library.begin()
        for _ in range(self.batch):
            self.once()
        self.wall.append(self.library.end_ms() / self.batch)
        self.cpu.append((time.process_time() - cpu) * 1000 / self.batch)

    def result(self, np):
        return np.asarray(self.library.get(self.results[0])).squeeze()


def difference(np, case, result, right):
    """The first fault as a sentence, or an empty one. Borders differ, so that blurs are compared inside."""
    if result.shape != right.shape:
        return f'the result has the shape {result.shape} and must have {right.shape}'
    result, right = (np.asarray(array, np.complex128 if case.kind == 'c64' else np.float64)
                     for array in (result, right))
    allowed = 1e-3 * float(np.max(np.abs(right), initial=1e-30))
    if case.sigma:
        edge = min(int(4 * case.sigma + 1), min(case.width, case.height) // 2)
        inside = (slice(edge, case.height - edge), slice(edge, case.width - edge))
        result, right = result[inside], right[inside]
        allowed = max(allowed, {'f32': 0, 'u16': 300}.get(case.kind, 3))
        if case.operator == 'recursive_gaussian':
            allowed *= 30  # the recursion is another approximation of the same blur
    worst = float(np.max(np.abs(result - right), initial=0))
    return '' if worst <= allowed else f'an element is {worst:.3g} off Tilewright; {allowed:.3g} is allowed'


def runs_of(np, case, libraries, given):
    inputs, timed, failed = inputs_of(np, case), [], []
    about = {'operator': case.operator, 'type': case.kind, 'backend': given.device,
             'device': 'cpu' if given.device == 'cpu' else 'cuda:0', 'data': case.data, 'width': case.width,
             'height': case.height, 'channels': case.channels}
    for library in libraries:
        for name, call in library.calls(case):
            try:
                timed.append(Timed(library, name, call, inputs, given))
            except Exception as error:  # a library's own error: the others go on
                failed.append({'peer': name, **about,
                               'failed': ' '.join(str(error).split()) or type(error).__name__})
    for _ in range(given.rounds):
        for one in timed:
            one.round()
    right = next((one for one in timed if one.name.lower().startswith('tilewright')), None)
    for one in timed:
        p10, median, p90 = (float(np.quantile(one.wall, share)) for share in (.1, .5, .9))
        wrong = difference(np, case, one.result(np), right.result(np)) if right else ''
        yield {'peer': one.name, **about, 'real_time': median, 'time_unit': 'ms', 'iterations': one.batch,
               'repetitions': given.rounds, 'batch': {'median': median, 'p10': p10, 'p90': p90},
               'least_ms': min(one.wall), 'cpu_ms': min(one.cpu), 'buffer_sets': len(one.sets),
               'verified': bool(right and right is not one and not wrong),
               'verified_by': right.name if right and right is not one else '', 'wrong': wrong}
    yield from failed


def made_libraries(given):
    from libraries import ON_CPU, ON_CUDA
    libraries, missing = [], {}
    for kind in ON_CPU if given.device == 'cpu' else ON_CUDA:
        try:
            libraries.append(kind(given.device, given.threads))
        except Exception as error:  # an installed package may fail in any way where its driver is missing
            missing[kind.name] = ' '.join(str(error).split()) or type(error).__name__
            print(f'python_calls.py: no calls of {kind.name}: {missing[kind.name]}', file=sys.stderr)
    return libraries, missing


def cpu_name():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            return next(line.split(':', 1)[1].strip() for line in file if line.startswith('model name'))
    except (OSError, StopIteration):
        return platform.processor()


def context(given):
    name, driver = cpu_name(), 'Python ' + platform.python_version()
    torch, cupy = sys.modules.get('torch'), sys.modules.get('cupy')
    if given.device == 'cuda' and cupy:
        name, driver = cupy.cuda.runtime.getDeviceProperties(0)['name'].decode(), 'CUDA by CuPy'
    elif given.device == 'cuda' and torch:
        name, driver = torch.cuda.get_device_name(0), f'CUDA {torch.version.cuda}'
    versions = {name: getattr(sys.modules[name], '__version__', '?')
                for name in ('tilewright', 'numpy', 'scipy', 'cv2', 'torch', 'torchvision', 'cupy')
                if sys.modules.get(name)}
    commit = subprocess.run(['git', '-C', HERE, 'describe', '--always', '--dirty'], capture_output=True,
                            text=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    return {'date': now.strftime('%Y-%m-%dT%H:%M:%SZ'), 'commit': commit.stdout.strip(), 'device_name': name,
            'driver': driver, 'machine': platform.node(), 'packages': versions, 'threads': given.threads,
            'cpu': given.cpu or 'all', 'rounds': given.rounds}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cases', nargs='*', metavar='CASE')
    parser.add_argument('--device', choices=('cpu', 'cuda'), default='cpu')
    parser.add_argument('--size', help='in place of the cases\' own')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--cpu', choices=['avx2'])
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--batch', type=int, default=2000, help='calls per round at most')
    parser.add_argument('--limit', type=float, default=1, help='seconds that a call may take, about')
    parser.add_argument('--json', default='-', metavar='FILE', help='where to write (- is standard output)')
    return parser.parse_args()


def begin_anew_with(environment):
    """The libraries read their environment when they are loaded, so it must be there when Python starts."""
    if any(os.environ.get(name) != value for name, value in environment.items()):
        os.environ.update(environment)
        os.execv(sys.executable, [sys.executable] + sys.argv)


def main():
    given = parsed()
    environment = dict(WITHOUT_AVX512) if given.cpu == 'avx2' else {}
    for name in ('HL', 'OMP', 'MKL', 'OPENBLAS'):
        environment[name + '_NUM_THREADS'] = str(given.threads)
    environment['KMP_BLOCKTIME'] = '0'  # threads that wait do not burn CPU time
    begin_anew_with(environment)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:given.threads])
    import numpy as np
    libraries, missing = made_libraries(given)
    runs = []
    for case in cases_of(given):
        for run in runs_of(np, case, libraries, given):
            runs.append(run)
            ms, fault = run.get('real_time', float('nan')), run.get('failed') or run.get('wrong') or ''
            print(f"{run['operator']:<20} {run['data']:<28} {run['peer']:<40} {ms:10.4f} ms {fault}",
                  file=sys.stderr)
    text = json.dumps({'version': 2, 'program': 'python_calls', 'context': context(given),
                       'missing': missing, 'runs': runs}, indent=1) + '\n'
    if given.json == '-':
        sys.stdout.write(text)
    else:
        with open(given.json, 'w', encoding='utf-8') as file:
            file.write(text)
    return 6 if any(run.get('wrong') for run in runs) else 0


if __name__ == '__main__':
    sys.exit(main())
