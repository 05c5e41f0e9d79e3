#!/usr/bin/env python3
"""Measures and writes the tables of docs/performance/ that have peers.

Usage: tables.py measure --program TIMED_CALLS --out FILE [--threads N] [--cpu avx2] [--rounds N] [CASE...]
       tables.py write FILE...

`measure` times calls of Tilewright on the CPU (`timed_calls` of apps/laboratory/whole_calls) by turns with the same
calls of other libraries: NumPy, SciPy, OpenCV and MKL, those of them that the Python has which runs this
script. Each library is a process of its own, which stays on the first N CPUs. One call is timed as CPU time
of all threads (the least of the rounds), because the load of other programs hardly changes it. --cpu avx2
leaves AVX-512 out, of every library. CASE is a part of a case's name; without one, all cases are measured.

`write` puts tables into PERFORMANCE.md and the pages of performance/, between a line
`<!-- pairs: THREADS CPU MACHINE -->` (such as `1 avx2 AMD EPYC`) or `<!-- bench: OPERATOR DEVICE -->` or
`<!-- small calls -->`, and the next line `<!-- end -->`. It prints the lines that no page has. A FILE is
one of `measure`, of `tilewright bench --json`, or (ending in .md) what `small_calls` printed.
"""
import argparse
import ctypes
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# name, as timed_calls takes it
CASES = (
    [(f'{op} {t} {s}', f'{op} {t} {s}') for op in ('column_sum', 'row_sum') for t in ('u8', 'f32')
     for s in ('64x64', '640x480', '8192x8192')] +
    [(f'transpose {t} {s}', f'transpose {t} {s}') for t in ('u8', 'u16', 'f32', 'rgb8')
     for s in ('256x256', '640x480', '8192x8192')] +
    [(f'gaussian_blur {t} 4096x4096 sigma {s}', f'gaussian_blur {t} 4096x4096 sigma={s}')
     for t in ('u8', 'u16', 'f32') for s in (1, 3, 10)] +
    [(f'gaussian_blur rgb8 4096x4096 sigma {s}', f'gaussian_blur u8 4096x4096x3 sigma={s}')
     for s in (1, 3, 10)] +
    [(f'gaussian_blur u8 {s} sigma 2', f'gaussian_blur u8 {s} sigma=2') for s in ('64x64', '640x480')] +
    [(f'recursive_gaussian {t} 4096x4096 sigma 5', f'recursive_gaussian {t} 4096x4096 sigma=5')
     for t in ('u8', 'f32')] +
    [(f'matmul f32 {n}', f'matmul f32 {n}x{n}') for n in (32, 64, 128, 512, 1024, 2048)] +
    [(f'fft2d c64 {n}', f'fft2d c64 {n}x{n}') for n in (256, 512, 1024, 2048, 4096)]
)
PEERS = ['NumPy', 'SciPy', 'OpenCV', 'MKL']

# What keeps AVX-512 out of each library.
WITHOUT_AVX512 = {
    'TILEWRIGHT_INSTRUCTION_SET': 'avx2',
    'OPENCV_CPU_DISABLE': 'AVX512_SKX,AVX512_ICL',
    'MKL_ENABLE_INSTRUCTIONS': 'AVX2',
    'NPY_DISABLE_CPU_FEATURES': 'AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR',
    'OPENBLAS_CORETYPE': 'Haswell',
}


# ------------------------------------------------------------------------------------------------ the peers

def random_image(np, kind, w, h):
    random = np.random.default_rng(1)
    shape = (h, w, 3) if kind == 'rgb8' else (h, w)
    if kind == 'c64':
        return (random.random(shape, np.float32) + 1j * random.random(shape, np.float32)).astype(np.complex64)
    if kind == 'f32':
        return random.random(shape, np.float32)
    top, element = (65536, np.uint16) if kind == 'u16' else (256, np.uint8)
    return random.integers(0, top, shape, element)


def numpy_call(np, op, kind, w, h, _):
    a = random_image(np, kind, w, h)
    if op in ('column_sum', 'row_sum'):
        as_type = np.float32 if kind == 'f32' else np.uint32
        axis, out = (0, np.empty(w, as_type)) if op == 'column_sum' else (1, np.empty(h, as_type))
        return lambda: np.sum(a, axis=axis, dtype=as_type, out=out)
    if op == 'transpose':
        out = np.empty((w, h) + a.shape[2:], a.dtype)
        return lambda: np.copyto(out, np.swapaxes(a, 0, 1))
    if op == 'matmul':
        b, out = random_image(np, kind, w, w), np.empty((h, w), np.float32)
        return lambda: np.matmul(a, b, out=out)
    return None


def opencv_call(np, cv2, op, kind, w, h, sigma):
    a = random_image(np, kind, w, h)
    if op in ('column_sum', 'row_sum'):
        axis, kept = int(op == 'row_sum'), cv2.CV_32F if kind == 'f32' else cv2.CV_32S
        out = cv2.reduce(a, axis, cv2.REDUCE_SUM, dtype=kept)
        return lambda: cv2.reduce(a, axis, cv2.REDUCE_SUM, dst=out, dtype=kept)
    if op == 'transpose':
        out = np.empty((w, h) + a.shape[2:], a.dtype)
        return lambda: cv2.transpose(a, out)
    if op in ('gaussian_blur', 'recursive_gaussian'):
        out = np.empty_like(a)
        return lambda: cv2.GaussianBlur(a, (0, 0), sigma, dst=out, borderType=cv2.BORDER_REFLECT)
    return None


def mkl_call(np, mkl, op, kind, w, h, _):
    a = random_image(np, kind, w, h)
    if op == 'matmul':
        b, out = random_image(np, kind, w, w), np.empty((h, w), np.float32)
        one, none = ctypes.c_float(1), ctypes.c_float(0)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, out)]
        return lambda: mkl.cblas_sgemm(101, 111, 111, h, w, w, one, pointers[0], w, pointers[1], w, none,
                                       pointers[2], w)
    if op == 'fft2d':
        out, plan = np.empty_like(a), ctypes.c_void_p()
        sides = (ctypes.c_long * 2)(h, w)
        single, of_complex, placement, not_in_place = 35, 32, 11, 44
        mkl.DftiCreateDescriptor(ctypes.byref(plan), single, of_complex, ctypes.c_long(2), sides)
        mkl.DftiSetValue(plan, placement, not_in_place)
        mkl.DftiCommitDescriptor(plan)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, out)]
        return lambda: mkl.DftiComputeForward(plan, *pointers)
    return None


def call_of(library, threads, words):
    """What one case is for a library; None where it has no such function."""
    import numpy as np
    op, kind, size = words[:3]
    w, h, *channels = (int(side) for side in size.split('x'))
    if kind == 'u8' and channels == [3]:
        kind = 'rgb8'
    sigma = next((float(word[6:]) for word in words if word.startswith('sigma=')), 0)
    if library == 'NumPy':
        return numpy_call(np, op, kind, w, h, sigma)
    if library == 'SciPy':
        import scipy.fft
        import scipy.ndimage
        a = random_image(np, kind, w, h)
        if op == 'fft2d':
            return lambda: scipy.fft.fft2(a, workers=threads)
        if op == 'gaussian_blur' and w * h <= 1 << 20:
            out = np.empty_like(a)
            return lambda: scipy.ndimage.gaussian_filter(a, sigma, output=out)
        return None
    if library == 'OpenCV':
        import cv2
        cv2.setNumThreads(threads)
        return opencv_call(np, cv2, op, kind, w, h, sigma)
    return mkl_call(np, ctypes.CDLL(found_mkl()), op, kind, w, h, sigma)


def found_mkl():
    found = glob.glob(os.path.join(sys.prefix, 'lib', 'libmkl_rt.so*'))
    if not found:
        raise ImportError('libmkl_rt is not in ' + sys.prefix)
    return found[0]


def serve(library, threads):
    """The same orders and answers as timed_calls."""
    call = None
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == 'case':
                call = call_of(library, threads, words[1:])
                if call:
                    call()
                print('ok' if call else 'no such function', flush=True)
            else:
                count, least, cpu = int(words[1]), 1e30, time.process_time()
                for _ in range(count):
                    start = time.perf_counter()
                    call()
                    least = min(least, time.perf_counter() - start)
                print(f'{1e3 * least:.6f} {1e3 * (time.process_time() - cpu) / count:.6f}', flush=True)
        except Exception as error:  # a library that is not there, or does not take the case
            print('no', str(error).replace('\n', ' '), flush=True)


# ------------------------------------------------------------------------------------------------ measuring

class Worker:
    def __init__(self, command, threads, environment):
        cpus = sorted(os.sched_getaffinity(0))[:threads]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    def ask(self, order):
        self.process.stdin.write(order + '\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(options):
    environment = dict(os.environ, **(WITHOUT_AVX512 if options.cpu == 'avx2' else {}))
    for name in ('HL', 'OMP', 'MKL', 'OPENBLAS'):
        environment[name + '_NUM_THREADS'] = str(options.threads)
    environment['KMP_BLOCKTIME'] = '0'  # threads that wait do not burn CPU time
    runs = []
    for name, case in CASES:
        if options.cases and not any(part in name for part in options.cases):
            continue
        commands = {'Tilewright': [options.program]}
        for peer in PEERS:
            commands[peer] = [sys.executable, os.path.abspath(__file__), 'serve', peer, str(options.threads)]
        workers = {who: Worker(command, options.threads, environment) for who, command in commands.items()}
        answers = {who: worker.ask('case ' + case) for who, worker in workers.items()}
        if answers['Tilewright'] != ['ok']:
            sys.exit(f'{name}: {" ".join(answers["Tilewright"])}')
        times = {who: [] for who, answer in answers.items() if answer == ['ok']}
        counts = {who: max(1, min(2000, int(40 / max(.001, float(workers[who].ask('run 1')[0])))))
                  for who in times}
        for _ in range(options.rounds):
            for who in times:
                times[who].append([float(t) for t in workers[who].ask(f'run {counts[who]}')])
        for worker in workers.values():
            worker.end()
        least = {who: {'wall': min(t[0] for t in all_of), 'cpu': min(t[1] for t in all_of)}
                 for who, all_of in times.items()}
        runs.append({'case': name, 'times': least})
        print(name, json.dumps(least), file=sys.stderr, flush=True)
    model = re.search(r'model name\s*: (.*)', open('/proc/cpuinfo').read())
    commit = subprocess.run(['git', '-C', HERE, 'describe', '--always', '--dirty'], capture_output=True,
                            text=True)
    with open(options.out, 'w') as out:
        json.dump({'pairs': {'threads': options.threads, 'cpu': options.cpu or 'all'},
                   'date': datetime.date.today().isoformat(), 'commit': commit.stdout.strip(),
                   'machine': model.group(1) if model else '', 'rounds': options.rounds, 'runs': runs}, out,
                  indent=1)


# ------------------------------------------------------------------------------------------------- writing

def number(ms):
    return f'{ms:.4f}' if ms < 1 else f'{ms:.3g}' if ms < 100 else f'{ms:.0f}'


def pairs_table(data):
    threads = data['pairs']['threads']
    lines = ['', f'{data["machine"]}, {threads} thread{"s" if threads > 1 else ""}, {data["date"]}, commit '
             f'`{data["commit"]}`; CPU ms per call, the least of {data["rounds"]} rounds by turns:', '',
             '| case | Tilewright | ' + ' | '.join(PEERS) + ' | to the fastest peer |',
             '|---|---|' + '---|' * len(PEERS) + '---|']
    for run in data['runs']:
        times = {who: t['cpu'] for who, t in run['times'].items()}
        peers = [times[p] for p in PEERS if p in times]
        ratio = f'{times["Tilewright"] / min(peers):.2f}' if peers else '-'
        cells = [number(times[p]) if p in times else '-' for p in PEERS]
        lines.append(f'| {run["case"]} | {number(times["Tilewright"])} | {" | ".join(cells)} | {ratio} |')
    return lines


def bench_table(runs):
    """The best row of the data, and the peers that `bench --peers` timed beside it."""
    lines = ['| data | row | ms | peers, ms | to the fastest peer |', '|---|---|---|---|---|']
    for data in dict.fromkeys(run['data'] for run in runs):
        timed = [r for r in runs if r['data'] == data and r.get('real_time')]
        ours = [r for r in timed if not r.get('peer')]
        peers = [r for r in timed if r.get('peer')]
        if not ours:
            continue
        best = min(ours, key=lambda r: r['real_time'])
        fastest = min((r['real_time'] for r in peers), default=None)
        lines.append(f'| {data} | `{best["row"]}` | {number(best["real_time"])} | ' +
                     (', '.join(f'{r["peer"]} {number(r["real_time"])}' for r in peers) or '-') +
                     f' | {best["real_time"] / fastest:.2f} |' if fastest else ' | - |')
    return lines


def small_calls_table(lines):
    """What small_calls printed, of one type per width of a number: f32 tells of u32, u8 of u8f32."""
    return [line for line in lines if not re.search(r'\| (u8f32|u16f32|u16|rgb16|u64|i32) ', line)]


def tables_of(files):
    """The text of each marker that the files have."""
    tables = {}
    bench = {}
    for path in files:
        if path.endswith('.md'):
            tables['small calls'] = small_calls_table(open(path).read().strip().split('\n'))
            continue
        data = json.load(open(path))
        if 'pairs' in data:
            pairs = data['pairs']
            tables[f'pairs: {pairs["threads"]} {pairs["cpu"]} {data["machine"]}'] = pairs_table(data)
            continue
        for run in data['runs']:
            device = run.get('device', '').split(':')[0]
            bench.setdefault((run.get('operator'), device), []).append(run)
    for (op, device), runs in bench.items():
        tables[f'bench: {op} {device}'] = bench_table(runs)
    return tables


def write(options):
    paths = [os.path.join(HERE, 'PERFORMANCE.md')] + glob.glob(os.path.join(HERE, 'performance', '*.md'))
    pages = {path: open(path).read() for path in paths}
    for marker, lines in tables_of(options.files).items():
        block = re.compile(r'(<!-- ' + re.escape(marker) + r' -->\n).*?(<!-- end -->)', re.S)
        if not any(block.search(text) for text in pages.values()):
            print(f'no page has a line <!-- {marker} -->: its table is not written', file=sys.stderr)
        for path, text in pages.items():
            pages[path] = block.sub(
                lambda found: found.group(1) + '\n'.join(lines) + '\n\n' + found.group(2), text)
    for path, text in pages.items():
        with open(path, 'w') as out:
            out.write(text)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == 'serve':  # a worker of `measure`
        serve(sys.argv[2], int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    measuring = verbs.add_parser('measure')
    measuring.add_argument('--program', required=True)
    measuring.add_argument('--out', required=True)
    measuring.add_argument('--threads', type=int, default=1)
    measuring.add_argument('--rounds', type=int, default=5)
    measuring.add_argument('--cpu', choices=['avx2'])
    measuring.add_argument('cases', nargs='*')
    measuring.set_defaults(verb=measure)
    writing = verbs.add_parser('write')
    writing.add_argument('files', nargs='+')
    writing.set_defaults(verb=write)
    options = parser.parse_args()
    options.verb(options)


if __name__ == '__main__':
    main()
