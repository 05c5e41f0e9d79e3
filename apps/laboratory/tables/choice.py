#!/usr/bin/env python3
"""How far the variant that `tuned` takes is from the fastest one.

    tilewright bench --device cuda --json cuda.json \\
        --size 64x64,640x480,1920x1080,4000x3000,8192x8192,33x100000,100000x33
    tilewright bench --device cpu --peers --size ... --json cpu.json
    apps/laboratory/tables/choice.py cuda.json cpu.json

Per device and operator it prints a row of a Markdown table: on how many sets of data (type, size,
settings) variants were compared, on how many the chosen variant takes at most 1.10 times the time of the
fastest variant, the geometric mean and the largest of these ratios, and on a CPU on how many it takes longer
than a plain loop, 5 us of slack given. `reference`, `auto`, variants with an error of their own, and variants
whose time depends on the values are not compared: `tuned` never takes them. `--list` prints each set of data
that is over 1.10; `--least` takes the 10th percentile of a variant's times in place of the median, for a
machine on which other programs ran.
"""
import argparse
import math
import re
import sys

from results import Wrong, read

GOAL = 1.10
SLACK_MS = .005
NEVER_TAKEN = re.compile(r'^(auto|reference|half|texture_half|exp|native|relaxed|pruned.*)$')


def cases_of(paths, quantile):
    """The times of variants and peers, by what they were timed on; variants as (schedule, ms,
    whether chosen)."""
    cases = {}
    for path in paths:
        for run in read(path)[1]:
            if 'batch' not in run:
                continue
            key = (run['device'], run['operator'], run['type'], run['data'])
            variants, peers = cases.setdefault(key, ([], []))
            if 'peer' in run:
                peers.append((run['peer'], run['batch'][quantile]))
            else:
                variants.append((run['variant'].split('/')[1], run['batch'][quantile], run['chosen']))
    return cases


def compared(cases, show):
    """Per device and operator: the ratios, and on how many sets of data a plain loop was faster."""
    table = {}
    for (device, operator, _, data), (variants, peers) in cases.items():
        variants = [variant for variant in variants if not NEVER_TAKEN.match(variant[0])]
        chosen = next((variant for variant in variants if variant[2]), None)
        if not chosen:
            continue
        fastest = min(variants, key=lambda variant: variant[1])
        ratio = chosen[1] / fastest[1]
        loops = [ms for name, ms in peers if 'plain' in name]
        slower = bool(loops) and chosen[1] > min(loops) + SLACK_MS
        table.setdefault((device, operator), []).append((ratio, slower, bool(loops)))
        if show and (ratio > GOAL or slower):
            print(f'{device} {operator} {data}: {chosen[0]} {chosen[1]:.4f} ms, '
                  f'{fastest[0]} {fastest[1]:.4f} ms, {ratio:.2f}'
                  + (f'; a plain loop {min(loops):.4f} ms' if slower else ''))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+', help='JSON of `tilewright bench --json`, or lines of `--results`')
    parser.add_argument('--list', action='store_true', help='print each set of data that is over 1.10')
    parser.add_argument('--least', action='store_true', help='the 10th percentile in place of the median')
    given = parser.parse_args()
    table = compared(cases_of(given.files, 'p10' if given.least else 'median'), given.list)
    if not table:
        raise Wrong('the files have no times of variants that `tuned` takes; run `tilewright bench --json`')
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


if __name__ == '__main__':
    try:
        main()
    except Wrong as error:
        sys.exit(f'choice.py: {error}')
