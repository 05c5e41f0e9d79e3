"""What the counters of the documented steps say of their times on an H200, beside the measured times.

A kernel takes at least the longest of four times:

    waits    loads per thread / loads in flight x the time of a load, once for each set of threads that the
             multiprocessors hold at once
    lines    a multiprocessor serves one line of 128 bytes of global memory per cycle
    passes   and one pass of shared memory
    memory   the bytes that must be read and written, at the rate of a copy

Loads in flight, registers and sectors are those of accesses.json. How many threads a step has, and how often
each one loads and stores, follows from its schedule and from the size of the data.
"""
MULTIPROCESSORS, HERTZ, THREADS, REGISTERS = 132, 1.98e9, 2048, 65536
LOAD_MS, BYTES_PER_MS = .5e-3, 4.2e9

# Of each step (threads, threads per block, loads per thread, stores per thread, loads of shared memory per
# thread), and the bytes that the call must move.
SIDE = 8192
PIXELS = SIDE * SIDE
TRANSPOSES = {**dict.fromkeys(['direct', 'direct_mirrored'], (PIXELS, 256, 1, 1, 0)),
              **dict.fromkeys(['shared', 'padded', 'diagonal_unpadded', 'diagonal'], (PIXELS, 256, 1, 1, 1)),
              'vector4': (PIXELS // 16, 256, 4, 4, 0)}
SHAPES = {
    'column_sum u8 8192x8192': (PIXELS, {
        'bytes1': (SIDE, 128, SIDE, 1, 0), 'bytes4': (SIDE // 4, 128, SIDE, 1, 0),
        'bytes16': (SIDE // 16, 128, SIDE, 4, 0)}),
    'row_sum u8 8192x8192': (PIXELS, {
        'serial': (SIDE, 128, SIDE, 1, 0), 'atomic': (PIXELS // 128, 128, 128, 1, 0),
        'tree': (SIDE * 512, 512, SIDE // 512, 0, 2), 'lanes': (SIDE * 32, 32, SIDE // 32, 0, 0)}),
    'transpose u8 8192x8192': (2 * PIXELS, TRANSPOSES),
    'transpose f32 8192x8192': (8 * PIXELS, TRANSPOSES),
    'matmul f32 512x512': (3 * 4 * 512 * 512, {
        'direct': (512 * 512, 256, 2 * 512, 1, 0), 'shared': (512 * 512, 256, 2 * 512 // 16, 1, 2 * 512)}),
}


def lines_of(pairs):
    """Lines of 128 bytes that the worst access touches: as many as its sectors where these are apart."""
    took, least = pairs[0] if pairs else (0, 0)
    return took if took > least else -(-took // 4)


def bounds(run, shape, moved):
    """The four times of a step, in ms, as {what sets it: ms}."""
    threads, block, loads, stores, of_shared = shape
    used = min(MULTIPROCESSORS, threads / block)
    at_once = used * min(THREADS, REGISTERS / run['registers'])
    turns_per_ms = used * HERTZ / 1000 / (threads / 32)
    passes = max((took for took, _ in run['shared']), default=0)
    return {'waits': loads / run['in_flight'][0] * LOAD_MS * max(1, threads / at_once),
            'lines': (loads * lines_of(run['loads']) + stores * lines_of(run['stores'])) / turns_per_ms,
            'passes': of_shared * passes / turns_per_ms, 'memory': moved / BYTES_PER_MS}


def table(kept, operator, data, time_of):
    """The lines of the table of one operator. `time_of(step)` is the step's measured time in ms, or None."""
    moved, steps = SHAPES[f'{operator} {data}']
    lines = ['| step | waits, ms | lines, ms | passes, ms | memory, ms | predicted: the longest '
             '| H200 CUDA, ms | measured / predicted |', '|---' * 8 + '|']
    for step, shape in steps.items():
        run, ms = kept.get((operator, data, step)), time_of(step)
        if run and run.get('in_flight') and ms:
            found = bounds(run, shape, moved)
            longest = max(found, key=found.get)
            cells = ' | '.join(f'{bound:.3f}' for bound in found.values())
            lines.append(f'| `{step}` | {cells} | {found[longest]:.3f}, {longest} | {ms:.4g} '
                         f'| {ms / found[longest]:.2f} |')
    return lines
