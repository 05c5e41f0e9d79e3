#!/usr/bin/env python3
"""Makes the measured tables of the documents from JSON of the programs that time things.

Usage: tables.py write FILE...            writes tables into PERFORMANCE.md and the pages of docs/performance/
       tables.py choice [--list] [--least] FILE...
                                          prints how far the choice of `tuned` is from the fastest variant

FILE is JSON of `tilewright bench --json`, of `python_calls.py`, of `cuda_peers --json` or of
`call_benchmarks --benchmark_out`, or lines of `--results` (JSONL).

`write` puts tables between a line `<!-- pairs: MACHINE -->` (all files of `python_calls.py` of one machine),
`<!-- bench: OPERATOR DEVICE -->` or `<!-- small calls -->`, and the next line `<!-- end -->`. It prints the
lines that no page has.
"""
import argparse
import glob
import os
import re
import sys

import choice
from results import Wrong, is_of_google_benchmark, read, read_json

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'docs')
LIBRARIES = ['NumPy', 'SciPy', 'OpenCV', 'MKL']


def number(ms):
    return f'{ms:.4f}' if ms < 1 else f'{ms:.3g}' if ms < 100 else f'{ms:.0f}'


def microseconds(us):
    return f'{us:.2f}' if us < 100 else f'{us:.0f}'


def pair_cell(times):
    """Our ms, and those of the fastest other library, by library; empty without ours."""
    ours, peers = times.get('Tilewright'), [(times[name], name) for name in LIBRARIES if name in times]
    if not ours or not peers:
        return number(ours) if ours else ''
    return f'{number(ours)}, {min(peers)[1]} {number(min(peers)[0])}: {ours / min(peers)[0]:.2f}'


def pairs_table(files):
    """Calls of Tilewright and of the fastest other library, by their CPU time (python_calls.py), on one
    machine: a column per number of threads and instruction set."""
    lines, cases, titles = [''], {}, []
    for context, runs in files:
        title = f'{context["threads"]} thread{"s" if context["threads"] > 1 else ""}'
        title += '' if context['cpu'] == 'all' else f', {context["cpu"]}'
        titles.append(title)
        lines += [f'{title}: {context["date"][:10]}, commit `{context["commit"]}`, the least of '
                  f'{context["rounds"]} rounds by turns.', '']
        for run in runs:
            if 'cpu_ms' in run:
                of_case = cases.setdefault(f"{run['operator']} {run['data']}", {}).setdefault(title, {})
                of_case[run['peer'].split()[0]] = run['cpu_ms']
    lines += ['| case | ' + ' | '.join(titles) + ' |', '|---' * (len(titles) + 1) + '|']
    for case, columns in cases.items():
        cells = [pair_cell(columns.get(title, {})) for title in titles]
        lines += [f'| {case} | ' + ' | '.join(cells) + ' |'] if any(cells) else []
    return lines


def bench_table(runs):
    """The best variant of the data, and the peers that `bench --peers` timed beside it."""
    lines = ['| data | variant | ms | peers, ms | to the fastest peer |', '|---|---|---|---|---|']
    for data in dict.fromkeys(run['data'] for run in runs):
        timed = [run for run in runs if run['data'] == data and run.get('real_time')]
        ours = [run for run in timed if not run.get('peer')]
        peers = [run for run in timed if run.get('peer')]
        if ours:
            best = min(ours, key=lambda run: run['real_time'])
            fastest = min((run['real_time'] for run in peers), default=None)
            named = ', '.join(f'{run["peer"]} {number(run["real_time"])}' for run in peers) or '-'
            ratio = f'{best["real_time"] / fastest:.2f}' if fastest else '-'
            chosen = f'`{best["variant"]}` | {number(best["real_time"])}'
            lines.append(f'| {data} | {chosen} | {named} | {ratio} |')
    return lines


def small_calls_table(data):
    """Calls, and in brackets plain loops, in us (call_benchmarks): a row per operator and type, of one type
    per width of a number (f32 tells of u32, u8 of u8f32), and a table per list of sizes."""
    least = {}
    for one in data['benchmarks']:
        what, operator, case, who = (one.get('run_name') or one['name']).split('/')[:4]
        if what == 'calls' and 'error_message' not in one:
            key = least.setdefault((operator, *case.split(' ', 1)), {})
            key[who] = min(one['real_time'], key.get(who, float('inf')))
    rows, sizes = {}, {}
    for (operator, kind, size), times in least.items():
        call, loop = times.get('cpu'), times.get('plain loop, 1 thread')
        if call and loop and kind not in ('u8f32', 'u16f32', 'u16', 'rgb16', 'u64', 'i32'):
            rows.setdefault((operator, kind), {})[size] = f'{microseconds(call)} ({microseconds(loop)})'
            sizes.setdefault(operator, {})[size] = True
    lines = []
    for columns in dict.fromkeys(tuple(of_operator) for of_operator in sizes.values()):
        lines += ['', '| operator | ' + ' | '.join(columns) + ' |', '|---' * (len(columns) + 1) + '|']
        lines += [f'| {operator} {kind} | ' + ' | '.join(row.get(size, '-') for size in columns) + ' |'
                  for (operator, kind), row in rows.items() if tuple(sizes[operator]) == columns]
    return lines


def tables_of(files):
    """The text of each marker that the files have."""
    tables, bench, pairs = {}, {}, {}
    for path in files:
        data = read_json(path)
        if is_of_google_benchmark(data):
            tables['small calls'] = small_calls_table(data)
            continue
        context, runs = read(path)
        if 'threads' in context:
            pairs.setdefault(context['device_name'], []).append((context, runs))
            continue
        for run in runs:
            bench.setdefault((run['operator'], run['device'].split(':')[0]), []).append(run)
    for (operator, device), runs in bench.items():
        tables[f'bench: {operator} {device}'] = bench_table(runs)
    tables.update({f'pairs: {machine}': pairs_table(of_machine) for machine, of_machine in pairs.items()})
    return tables


def write(given):
    docs = given.docs
    paths = [os.path.join(docs, 'PERFORMANCE.md')] + glob.glob(os.path.join(docs, 'performance', '*.md'))
    pages = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            pages[path] = file.read()
    for marker, lines in tables_of(given.files).items():
        block = re.compile(r'(<!-- ' + re.escape(marker) + r' -->\n).*?(<!-- end -->)', re.S)
        if not any(block.search(text) for text in pages.values()):
            print(f'no page has a line <!-- {marker} -->: its table is not written', file=sys.stderr)
        text_of_table = '\n'.join(lines) + '\n\n'
        for path, text in pages.items():
            pages[path] = block.sub(lambda found, made=text_of_table: found.group(1) + made + found.group(2),
                                    text)
    for path, text in pages.items():
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    writing = verbs.add_parser('write')
    writing.add_argument('files', nargs='+')
    writing.add_argument('--docs', default=DOCS, help='the folder of PERFORMANCE.md and performance/')
    writing.set_defaults(verb=write)
    choosing = verbs.add_parser('choice', description=choice.__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    choosing.add_argument('files', nargs='+')
    choosing.add_argument('--list', action='store_true', help='print each set of data that is over 1.10')
    choosing.add_argument('--least', action='store_true',
                          help='take the 10th percentile in place of the median')
    choosing.set_defaults(verb=choice.print_choices)
    given = parser.parse_args()
    return given.verb(given)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as error:
        sys.exit(f'tables.py: {error}')
