#!/usr/bin/env python3
"""How far the row that `tuned` takes is from the fastest one, from files of `tilewright bench --json` or from
lines of `--results` (JSONL).

    tilewright bench --device cuda --json cuda.json \\
        --size 64x64,640x480,1920x1080,4000x3000,8192x8192,33x100000,100000x33
    tilewright bench --device cpu --peers --size ... --json cpu.json
    apps/laboratory/whole_calls/regret.py cuda.json cpu.json

Per device and operator it prints a row of a Markdown table: on how many sets of data (type, size,
settings) rows were compared, on how many the chosen row takes at most 1.10 times the time of the fastest
row, the geometric mean and the largest of these ratios, and on a CPU on how many it takes longer than a
plain loop, 5 us of slack given. `reference`, `auto`, rows with an error of their own, and rows whose time
depends on the values are not compared: `tuned` never takes them. `--list` prints each set of data that is
over 1.10; `--least` takes the 10th percentile of a row's times in place of the median, for a machine on
which other programs ran.
"""
import argparse
import json
import math
import re
import sys

GOAL = 1.10
SLACK_MS = .005
NEVER_TAKEN = re.compile(r'^(auto|reference|half|texture_half|exp|native|relaxed|pruned.*)$')


def runs_of(path):
    """The runs of a file of `bench`, or of a file with one run per line."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    try:
        return json.loads(text)['runs']
    except (json.JSONDecodeError, KeyError):
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def cases_of(paths, quantile):
    """The times of rows and peers, by what they were timed on; rows as (schedule, ms, whether chosen)."""
    cases = {}
    for path in paths:
        for run in runs_of(path):
            if 'batch' not in run:
                continue
            key = (run['device'], run['operator'], run['type'], run['data'])
            rows, peers = cases.setdefault(key, ([], []))
            name = run.get('row') or run.get('name') or ''
            if run.get('peer') or name.startswith('peer'):
                peers.append((run.get('peer') or name, run['batch'][quantile]))
            else:
                rows.append((name.split('/')[1], run['batch'][quantile], run.get('chosen')))
    return cases


def chosen_of(rows):
    """The row that `tuned` takes; for files that do not say so, the first one of the family."""
    named = [row for row in rows if row[2]]
    if named or any(row[2] is not None for row in rows):
        return named[0] if named else None
    family = [row for row in rows if row[0].startswith('tuned')]
    return family[0] if family else None


def compared(cases, show):
    """Per device and operator: the ratios, and on how many sets of data a plain loop was faster."""
    table = {}
    for (device, operator, kind, data), (rows, peers) in cases.items():
        rows = [row for row in rows if not NEVER_TAKEN.match(row[0])]
        chosen = chosen_of(rows)
        if not chosen:
            continue
        fastest = min(rows, key=lambda row: row[1])
        ratio = chosen[1] / fastest[1]
        loops = [ms for name, ms in peers if 'plain' in name]
        slower = bool(loops) and chosen[1] > min(loops) + SLACK_MS
        ratios = table.setdefault((device, operator), [])
        ratios.append((ratio, slower, bool(loops)))
        if show and (ratio > GOAL or slower):
            print(f'{device} {operator} {data}: {chosen[0]} {chosen[1]:.4f} ms, '
                  f'{fastest[0]} {fastest[1]:.4f} ms, {ratio:.2f}'
                  + (f'; a plain loop {min(loops):.4f} ms' if slower else ''))
    return table


def print_table(table):
    print('| device | operator | sets of data | within 1.10 | geometric mean | largest '
          '| slower than a plain loop |')
    print('|---|---|---|---|---|---|---|')
    for (device, operator), ratios in sorted(table.items()):
        values = [ratio for ratio, _, _ in ratios]
        mean = math.exp(sum(map(math.log, values)) / len(values))
        loops = [slower for _, slower, has_loop in ratios if has_loop]
        within = sum(value <= GOAL for value in values)
        print(f'| {device} | {operator} | {len(values)} | {within} | {mean:.3f} | {max(values):.2f} | '
              + (f'{sum(loops)} of {len(loops)} |' if loops else '- |'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('files', nargs='+')
    parser.add_argument('--list', action='store_true', help='print each set of data that is over 1.10')
    parser.add_argument('--least', action='store_true',
                        help='take the 10th percentile in place of the median')
    words = parser.parse_args()
    table = compared(cases_of(words.files, 'p10' if words.least else 'median'), words.list)
    if not table:
        sys.exit('regret.py: the files have no times of rows of the family tuned; '
                 'run `tilewright bench --json`')
    print_table(table)


if __name__ == '__main__':
    main()
