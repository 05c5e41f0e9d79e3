"""What the counters of an H200 say of the documented steps, beside what was computed (accesses.py).

A file of `ncu --csv --page raw` has one call. Its name says of what: OPERATOR.DATA.STEP.csv, where the words
of DATA are joined by `_`. docs/steps/counters.json keeps what the table needs.
"""
import csv
import json
import os

import accesses
from results import Wrong

SECTORS = 'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{}.ratio'
WAVES = 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum'
INSTRUCTIONS = 'smsp__inst_executed_op_shared_{}.sum'
STALLS = 'smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio'
TIME = 'gpu__time_duration.sum'


def file_of(pages):
    return os.path.join(pages, 'counters.json')


def kernel_of(row):
    def value(name):
        return float(row[name].replace(',', '') or 0)

    shared = {what: round(value(WAVES.format(what)) / value(INSTRUCTIONS.format(what)), 2)
              for what in ('ld', 'st') if value(INSTRUCTIONS.format(what))}
    return {'kernel': row['Kernel Name'], 'loads': value(SECTORS.format('ld')),
            'stores': value(SECTORS.format('st')), 'passes': shared, 'stalls': value(STALLS),
            'us': value(TIME) / 1000}


def keep(paths, pages):
    """Keeps the longest kernel of each file."""
    kept = {(one['operator'], one['data'], one['step']): one for one in read(pages)}
    for path in paths:
        try:
            operator, data, step = os.path.basename(path).removesuffix('.csv').split('.')
            with open(path, encoding='utf-8') as file:
                first, _, *rows = csv.reader(line for line in file if line.startswith('"'))
            longest = max((kernel_of(dict(zip(first, row))) for row in rows), key=lambda kernel: kernel['us'])
        except (ValueError, KeyError) as error:
            raise Wrong(f'{path}: no CSV of ncu with the counters that are needed: {error!r}') from error
        key = (operator, data.replace('_', ' '), step)
        kept[key] = dict(zip(('operator', 'data', 'step'), key)) | longest
    with open(file_of(pages), 'w', encoding='utf-8') as file:
        file.write('[\n ' + ',\n '.join(json.dumps(kept[key]) for key in sorted(kept)) + '\n]\n')


def read(pages):
    if not os.path.exists(file_of(pages)):
        return []
    with open(file_of(pages), encoding='utf-8') as file:
        return json.load(file)


def table(pages):
    """One line per step: what was computed for data of this type, and what the GPU counted in the kernel that
    takes longest."""
    computed = {(operator, data.split()[0], step): run
                for (operator, data, step), run in accesses.read(pages).items()}
    lines = ['| operator | step | sectors per load: computed | by ncu | sectors per store: computed | by ncu '
             '| passes of shared memory: computed | by ncu | loads in flight | cycles per instruction that '
             'wait for memory, by ncu |', '|---' * 10 + '|']
    for one in read(pages):
        run = computed.get((one['operator'], one['data'].split()[0], one['step']))
        if run:
            passes = sorted(set(one['passes'].values()), reverse=True)
            lines.append(
                f"| `{one['operator']}` {one['data']} | `{one['step']}` | {accesses.cell(run['loads'])} "
                f"| {one['loads']:g} | {accesses.cell(run['stores'])} | {one['stores']:g} "
                f"| {accesses.cell(run['shared'])} | {', '.join(f'{number:g}' for number in passes) or '-'} "
                f"| {', '.join(map(str, run.get('in_flight') or '-'))} | {one['stalls']:.3g} |")
    return lines
