#!/usr/bin/env python3
"""Makes the measured tables of the documents from JSON of the programs that time things.

Usage: tables.py write FILE...            writes tables into PERFORMANCE.md and the pages of docs/performance/
       tables.py choice [--list] [--least] FILE...
                                          prints how far the choice of `tuned` is from the fastest variant
       tables.py steps [--add FILE...] [--check] [--pages FOLDER]
                                          writes or checks the tables of docs/steps/ (see steps.py)

FILE is JSON of `tilewright bench --json`, of `python_calls.py`, of `cuda_peers --json` or of
`call_benchmarks --benchmark_out`, or lines of `--results` (JSONL).

`write` puts tables between a line `<!-- pairs: THREADS CPU MACHINE -->` (such as `1 avx2 AMD EPYC`),
`<!-- bench: OPERATOR DEVICE -->` or `<!-- small calls -->`, and the next line `<!-- end -->`. It prints the
lines that no page has.
"""
import argparse
import glob
import os
import re
import sys

import choice
import steps
from results import Wrong, is_of_google_benchmark, read, read_json

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'docs')
LIBRARIES = ['NumPy', 'SciPy', 'OpenCV', 'MKL']


def number(ms):
    return f'{ms:.4f}' if ms < 1 else f'{ms:.3g}' if ms < 100 else f'{ms:.0f}'


def pairs_table(context, runs):
    """Calls of Tilewright beside those of other libraries, by their CPU time (python_calls.py)."""
    threads = context['threads']
    lines = ['', f'{context["device_name"]}, {threads} thread{"s" if threads > 1 else ""}, '
             f'{context["date"][:10]}, commit `{context["commit"]}`; CPU ms per call from Python, '
             f'the least of {context["rounds"]} rounds by turns:', '',
             '| case | Tilewright | ' + ' | '.join(LIBRARIES) + ' | to the fastest peer |',
             '|---|---|' + '---|' * len(LIBRARIES) + '---|']
    cases = {}
    for run in runs:
        library = run['peer'].split()[0]
        if 'cpu_ms' in run and (library != 'Tilewright' or run['peer'] == 'Tilewright'):
            cases.setdefault(f"{run['operator']} {run['data']}", {})[library] = run['cpu_ms']
    for case, times in cases.items():
        if 'Tilewright' in times:
            peers = [times[library] for library in LIBRARIES if library in times]
            cells = [number(times[library]) if library in times else '-' for library in LIBRARIES]
            ratio = f'{times["Tilewright"] / min(peers):.2f}' if peers else '-'
            lines.append(f'| {case} | {number(times["Tilewright"])} | {" | ".join(cells)} | {ratio} |')
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
    """Calls beside plain loops (call_benchmarks), of one type per width of a number: f32 tells of u32, u8 of
    u8f32."""
    least = {}
    for one in data['benchmarks']:
        what, operator, case, who = (one.get('run_name') or one['name']).split('/')[:4]
        if what == 'calls' and 'error_message' not in one:
            key = least.setdefault((operator, case), {})
            key[who] = min(one['real_time'], key.get(who, float('inf')))
    lines = ['| operator | data | call, us | plain loop, us | ratio | longer by, us |',
             '|---|---|---|---|---|---|']
    for (operator, case), times in least.items():
        call, loop = times.get('cpu'), times.get('plain loop, 1 thread')
        if call and loop and not re.match('(u8f32|u16f32|u16|rgb16|u64|i32) ', case):
            lines.append(f'| {operator} | {case} | {call:.2f} | {loop:.2f} | {call / loop:.2f} '
                         f'| {call - loop:+.2f} |')
    return lines


def tables_of(files):
    """The text of each marker that the files have."""
    tables, bench = {}, {}
    for path in files:
        data = read_json(path)
        if is_of_google_benchmark(data):
            tables['small calls'] = small_calls_table(data)
            continue
        context, runs = read(path)
        if 'threads' in context:
            tables[f'pairs: {context["threads"]} {context["cpu"]} {context["device_name"]}'] = pairs_table(
                context, runs)
            continue
        for run in runs:
            bench.setdefault((run['operator'], run['device'].split(':')[0]), []).append(run)
    for (operator, device), runs in bench.items():
        tables[f'bench: {operator} {device}'] = bench_table(runs)
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
    stepping = verbs.add_parser('steps', description=steps.__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    stepping.add_argument('--add', nargs='+', default=[], metavar='FILE')
    stepping.add_argument('--count', nargs='+', default=[], metavar='WORD')
    stepping.add_argument('--check', action='store_true')
    stepping.add_argument('--pages', default=os.path.join(DOCS, 'steps'),
                          help='the folder of the pages, with measured/ in it')
    stepping.set_defaults(verb=steps.write_or_check)
    given = parser.parse_args()
    return given.verb(given)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as error:
        sys.exit(f'tables.py: {error}')
