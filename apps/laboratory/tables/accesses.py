"""How the warps of the documented steps reach memory, as `tilewright show --source accesses` computes it.

docs/steps/accesses.json keeps what the program said, so that the tables need no program.
"""
import json
import os
import re
import subprocess

from results import Wrong

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
    """What is kept of a step; None where there is none."""
    text = shown(program, operator, data, step, 'accesses')
    found = [match.groups() for match in map(LINE.match, text.splitlines()) if match]
    if not found:
        return None
    return {'operator': operator, 'data': data, 'step': step,
            'loads': pairs_of(found, 'global', 'load'), 'stores': pairs_of(found, 'global', 'store'),
            'shared': pairs_of(found, 'shared', 'load') + pairs_of(found, 'shared', 'store')}


def registers(program, operator, data, step):
    """The most registers that a thread of its kernels has on sm_90, by ptxas; None without ptxas."""
    lines = [line.split() for line in shown(program, operator, data, step, 'resources').splitlines()]
    most = [int(cells[2]) for cells in lines if len(cells) > 3 and cells[1].startswith('sm_90')]
    return max(most, default=None)


def count(program, pages, asked, check):
    """Asks the program for `asked`, (operator, data, step) each; says what differs, or keeps it."""
    kept = read(pages)
    wrong = 0
    for operator, data, step in asked:
        run = counted(program, operator, data, step)
        before = kept.get((operator, data, step))
        if check:
            same = {**(before or {}), **(run or {})} == (before or {})
            if not same:
                print(f'{file_of(pages)}: {operator}/{step} is not what the program says: {run}')
                wrong += 1
        elif run:
            kept[operator, data, step] = run | {'registers': registers(program, operator, data, step)}
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
             '| passes of shared memory (least) | registers | H200 CUDA, ms |', '|---|---|---|---|---|---|']
    for step in steps:
        run = kept.get((operator, data, step))
        if run:
            lines.append(f"| `{step}` | {cell(run['loads'])} | {cell(run['stores'])} "
                         f"| {shared_cell(run['shared'])} | {run['registers'] or '-'} | {time_of(step)} |")
    return lines
