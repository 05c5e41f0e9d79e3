"""What the counters of the documented steps say of their times on an H200, beside the measured times.

A kernel takes at least the longest of four times:

    waits    loads per thread / loads in flight x the time of a load, once for each set of threads that the
             multiprocessors hold at once
    lines    a multiprocessor serves one line of 128 bytes of global memory per cycle
    passes   and one pass of shared memory
    memory   the bytes that must be read and written, at the rate of a copy

A step takes the sum of what its kernels take. Registers, loads in flight and sectors are those of
accesses.json, which has the most of a step's kernels; a kernel that differs has its own here. How many
threads a step has, and how often each one loads and stores, follows from its schedule and from the size of
the data.
"""
from typing import NamedTuple, Optional

MULTIPROCESSORS, HERTZ, THREADS, REGISTERS = 132, 1.98e9, 2048, 65536
LOAD_MS, BYTES_PER_MS = .5e-3, 4.2e9


class Kernel(NamedTuple):
    threads: int
    block: int                  # threads per block
    loads: float                # per thread; so are the next two
    stores: float = 0
    of_shared: float = 0        # loads of shared memory
    moved: Optional[float] = None   # bytes that must be read and written; none: those of the operator
    in_flight: Optional[int] = None
    lines_of_load: Optional[float] = None
    lines_of_store: Optional[float] = None


SIDE = 8192
PIXELS = SIDE * SIDE
TRANSPOSES = {**dict.fromkeys(['direct', 'direct_mirrored'], [Kernel(PIXELS, 256, 1, 1)]),
              **dict.fromkeys(['shared', 'padded', 'diagonal_unpadded', 'diagonal'],
                              [Kernel(PIXELS, 256, 1, 1, 1)]),
              'vector4': [Kernel(PIXELS // 16, 256, 4, 4)]}

# Vectors of 10 000: in the middle of the result an entry has 10 000 pairs, and each pair is two loads.
ENTRIES, PAIRS = 19999, 10000

# sigma 2.25: 19 taps, each of which is a load of a pixel and one of a weight. Along rows a warp's pixels are
# in two lines. A block of `shared` has 32 x 16 pixels of the result; it computes 50 x 16 sums down columns,
# from 50 x 34 pixels.
BLURRED, TAPS = 4096 * 4096, 19
DOWN = Kernel(BLURRED, 256, 2 * TAPS, 1, lines_of_load=1)
ALONG = Kernel(BLURRED, 256, 2 * TAPS, 1, lines_of_load=1.5)
HALO, SUMS = 50 * 34 / 512, TAPS * (50 * 16 / 512 + 1)

# 2048 lines of 2048 samples, each filtered from both ends, along rows and then along columns. A sample is one
# load and four stores: the filter's state. Along rows each of them is 32 lines for a warp.
LINES, FILTER = 2048, (2048, 64, 2048, 4 * 2048)
IMAGE = 2 * 4 * LINES * LINES
ALONG_ROWS = Kernel(*FILTER, moved=IMAGE, in_flight=18, lines_of_load=32, lines_of_store=32)
ALONG_COLUMNS = Kernel(*FILTER, moved=IMAGE, in_flight=16, lines_of_load=1, lines_of_store=1)
TRANSPOSED = Kernel(LINES * LINES, 256, 1, 1, 1, moved=IMAGE, in_flight=1)
BETWEEN = Kernel(*FILTER, moved=IMAGE, in_flight=6, lines_of_load=1, lines_of_store=1)
RESULT = Kernel(LINES * LINES, 256, 1, 1, moved=IMAGE, in_flight=1)
WITH_TRANSPOSES = [TRANSPOSED, BETWEEN, BETWEEN] * 2 + [RESULT]

# A pass takes a field of complex numbers through memory once: each thread has 16 of them. A transpose, and a
# product with the phases, have one per thread.
FIELD = 1024 * 1024
PASS = Kernel(FIELD // 16, 64, 16, 16, 2 * 16)
SAMPLES = Kernel(FIELD, 256, 1, 1, in_flight=1)

# Of each step its kernels, and the bytes that a kernel must move.
SHAPES = {
    'column_sum u8 8192x8192': (PIXELS, {
        'bytes1': [Kernel(SIDE, 128, SIDE, 1)], 'bytes4': [Kernel(SIDE // 4, 128, SIDE, 1)],
        'bytes16': [Kernel(SIDE // 16, 128, SIDE, 4)]}),
    'row_sum u8 8192x8192': (PIXELS, {
        'serial': [Kernel(SIDE, 128, SIDE, 1)], 'atomic': [Kernel(PIXELS // 128, 128, 128, 1)],
        'tree': [Kernel(SIDE * 512, 512, SIDE // 512, 0, 2)], 'lanes': [Kernel(SIDE * 32, 32, SIDE // 32)]}),
    'transpose u8 8192x8192': (2 * PIXELS, TRANSPOSES),
    'transpose f32 8192x8192': (8 * PIXELS, TRANSPOSES),
    'matmul f32 512x512': (3 * 4 * 512 * 512, {
        'direct': [Kernel(512 * 512, 256, 2 * 512, 1)],
        'shared': [Kernel(512 * 512, 256, 2 * 512 // 16, 1, 2 * 512)]}),
    'min_plus_convolution f64 10000x1': (8 * 4 * PAIRS, dict.fromkeys(
        ['direct', 'shared', 'branchless'], [Kernel(ENTRIES, 512, 2 * PAIRS, 1)])),
    'gaussian_blur f32 4096x4096 --sigma 2.25': (8 * BLURRED, {
        'direct': [Kernel(BLURRED, 256, 2 * TAPS * TAPS, 1)],
        **dict.fromkeys(['separable', 'branch', 'half'], [DOWN, ALONG]),
        'shared': [Kernel(BLURRED, 512, HALO + SUMS, 1, SUMS, lines_of_load=1)]}),
    'recursive_gaussian f32 2048x2048 --sigma 5': (IMAGE, {
        'columns': [ALONG_ROWS, ALONG_ROWS, ALONG_COLUMNS, ALONG_COLUMNS, RESULT],
        **dict.fromkeys(['transposed', 'diagonal', 'half'], WITH_TRANSPOSES)}),
    'fft2d c64 1024x1024': (16 * FIELD, {
        'passes': [PASS, SAMPLES] * 2, 'fused': [PASS] * 2, 'tuned': [PASS] * 2}),
    'fresnel c64 1024x1024 --method convolution': (16 * FIELD, {
        'passes': [PASS, SAMPLES] * 3 + [PASS], 'fused': [PASS] * 2, 'tuned': [PASS] * 2}),
}


def lines_of(pairs):
    """Lines of 128 bytes that the worst access touches: as many as its sectors where these are apart."""
    took, least = pairs[0] if pairs else (0, 0)
    return took if took > least else -(-took // 4)


def bounds(run, kernel, moved):
    """The four times of a kernel, in ms, as {what sets it: ms}."""
    used = min(MULTIPROCESSORS, kernel.threads / kernel.block)
    at_once = used * min(THREADS, REGISTERS / run['registers'])
    turns_per_ms = used * HERTZ / 1000 / (kernel.threads / 32)
    passes = max((took for took, _ in run['shared']), default=0)
    lines = (kernel.loads * (kernel.lines_of_load or lines_of(run['loads'])) +
             kernel.stores * (kernel.lines_of_store or lines_of(run['stores'])))
    in_flight = kernel.in_flight or run['in_flight'][0]
    return {'waits': kernel.loads / in_flight * LOAD_MS * max(1, kernel.threads / at_once),
            'lines': lines / turns_per_ms, 'passes': kernel.of_shared * passes / turns_per_ms,
            'memory': (kernel.moved or moved) / BYTES_PER_MS}


def table(kept, operator, data, time_of):
    """The lines of the table of one operator. `time_of(step)` is the step's measured time in ms, or None."""
    moved, steps = SHAPES[f'{operator} {data}']
    lines = ['| step | waits, ms | lines, ms | passes, ms | memory, ms | predicted: the longest '
             '| H200 CUDA, ms | measured / predicted |', '|---' * 8 + '|']
    for step, kernels in steps.items():
        run, ms = kept.get((operator, data, step)), time_of(step)
        if run and run.get('in_flight') and ms:
            found = [bounds(run, kernel, moved) for kernel in kernels]
            longest = sum(max(one.values()) for one in found)
            sums = {name: sum(one[name] for one in found) for name in found[0]}
            cells = ' | '.join(f'{bound:.3f}' for bound in sums.values())
            lines.append(f'| `{step}` | {cells} | {longest:.3f}, {max(sums, key=sums.get)} | {ms:.4g} '
                         f'| {ms / longest:.2f} |')
    return lines
