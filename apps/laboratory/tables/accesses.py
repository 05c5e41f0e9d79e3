"""How the warps of the documented steps reach memory, as `tilewright show --source accesses` computes it.

docs/steps/accesses.json keeps what the program said, so that the tables need no program.
"""
import json
import os
import re
import subprocess

import machine_code
from results import Wrong

RUNS = re.compile(r'A call of this variant runs (.*)\.')
KERNEL = re.compile(r'^(\w+)$', re.M)
LINE = re.compile(r'\s+\d+ x (global|shared) (load|store) of \d+ bytes? (?:to|from) \S+: (.*)')
SECTORS = re.compile(r'(\d+) sectors? of 32 bytes per warp, (?:the least|where neighbours would need (\d+))')
PASSES = re.compile(r'bank conflicts, (\d+) passes where (\d+) would do')


def file_of(pages):
    return os.path.join(pages, 'accesses.json')


def read(pages):
    """The kept steps, by (operator, data, step)."""
    if not os.path.exists(file_of(pages)):
        return {}
    with open(file_of(pages), encoding='utf-8') as file:
        return {(run['operator'], run['data'], run['step']): run for run in json.load(file)}


def shown(program, operator, data, step, part):
    """What `show` prints, or nothing where there is no such step for CUDA."""
    kind, size, *options = data.split()
    words = [program, 'show', operator, '--schedule', step, '--target', 'cuda', '--type', kind,
             '--size', size, *options, '--source', part]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 2, 3):  # 2: not on CUDA, 3: not for this size
        raise Wrong(f"{' '.join(words)}: {ran.stderr.strip()}")
    return ran.stdout


def pairs_of(found, space, what):
    """The different pairs of what a warp takes and the least possible, the worst first."""
    pairs = set()
    for of_space, of_what, said in found:
        sectors, passes = SECTORS.match(said), PASSES.match(said)
        if (of_space, of_what) != (space, what):
            continue
        if sectors:
            pairs.add((int(sectors[1]), int(sectors[2] or sectors[1])))
        elif passes:
            pairs.add((int(passes[1]), int(passes[2])))
        elif said == 'no bank conflict':
            pairs.add((1, 1))
    return [list(pair) for pair in sorted(pairs, key=lambda pair: (-pair[0] / pair[1], -pair[0]))]


def counted(program, operator, data, step):
    """What is kept of a step, and its Kernels; (None, None) where there is none."""
    text = shown(program, operator, data, step, 'accesses')
    found = [match.groups() for match in map(LINE.match, text.splitlines()) if match]
    if not found:
        return None, None
    return ({'operator': operator, 'data': data, 'step': step,
             'loads': pairs_of(found, 'global', 'load'), 'stores': pairs_of(found, 'global', 'store'),
             'shared': pairs_of(found, 'shared', 'load') + pairs_of(found, 'shared', 'store')},
            Kernels(program, operator, data, step, text))


class Kernels:
    """The kernels that a call of a step runs, in the variants that have them. Of two kernels of one loop,
    NAME and NAME__1, the second one is for data of less than a tile, and is left out."""

    def __init__(self, program, operator, data, step, text):
        names = set(KERNEL.findall(text))
        self.names = {name for name in names if name.removesuffix('__1') not in names - {name}}
        runs = RUNS.search(text)
        variants = sorted({name.split('/')[1] for name in runs[1].split(' + ')}) if runs else [step]
        self.shown = lambda part: [shown(program, operator, data, variant, part) for variant in variants]

    def registers(self):
        """The most registers that a thread has on sm_90, by ptxas; None without ptxas."""
        lines = [line.split() for text in self.shown('resources') for line in text.splitlines()]
        most = [int(cells[2]) for cells in lines
                if len(cells) > 3 and cells[1].startswith('sm_90') and cells[0] in self.names]
        return max(most, default=None)

    def in_flight(self):
        """The loads in flight of a thread (machine_code.py); None without the tools for it."""
        if not machine_code.has_tools():
            return None
        modules = [text[text.index('.version'):] for text in self.shown('kernels') if '.version' in text]
        return machine_code.loads_in_flight(modules, self.names)


def count(program, pages, asked, check):
    """Asks the program for `asked`, (operator, data, step) each; says what differs, or keeps it."""
    kept = read(pages)
    wrong = 0
    for operator, data, step in asked:
        run, kernels = counted(program, operator, data, step)
        before = kept.get((operator, data, step))
        if check:
            same = {**(before or {}), **(run or {})} == (before or {})
            if not same:
                print(f'{file_of(pages)}: {operator}/{step} is not what the program says: {run}')
                wrong += 1
        elif run:
            kept[operator, data, step] = run | {'in_flight': kernels.in_flight(),
                                                'registers': kernels.registers()}
    if not check:
        with open(file_of(pages), 'w', encoding='utf-8') as file:
            file.write('[\n ' + ',\n '.join(json.dumps(run) for _, run in sorted(kept.items())) + '\n]\n')
    return wrong


def cell(pairs):
    """The three worst pairs."""
    texts = [f'{took} ({least})' for took, least in pairs]
    return ', '.join(texts[:3] + ['...'] * (len(texts) > 3)) or '-'


def shared_cell(pairs):
    worst = max(pairs, key=lambda pair: pair[0] / pair[1], default=None)
    return '-' if not worst else '1 (1)' if worst[0] == worst[1] else f'{worst[0]} ({worst[1]})'


def table(kept, operator, data, steps, time_of):
    """The lines of the table of one operator's steps. `time_of(step)` is the text of the step's time."""
    lines = ['| step | sectors per load (least) | sectors per store (least) '
             '| passes of shared memory (least) | loads in flight | registers | H200 CUDA, ms |',
             '|---' * 7 + '|']
    for step in steps:
        run = kept.get((operator, data, step))
        if run:
            loads = ', '.join(map(str, run.get('in_flight') or '-'))
            lines.append(f"| `{step}` | {cell(run['loads'])} | {cell(run['stores'])} "
                         f"| {shared_cell(run['shared'])} | {loads} | {run['registers'] or '-'} "
                         f"| {time_of(step)} |")
    return lines
