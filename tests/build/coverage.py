#!/usr/bin/env python3
"""coverage.py LCOV: which lines and branches tests reached, by what `llvm-cov export -format=lcov` wrote.

Prints the lines that were not reached of what reads files and arguments (READS), and then the shares of these
and of each folder of runtime/ and apps/. Ends with 1 where fewer than LEAST % of the lines of READS were.
"""
import collections
import os
import sys

READS = ['runtime/files', 'runtime/dispatch/options', 'runtime/dispatch/input.cpp',
         'runtime/dispatch/pipelines', 'runtime/measured',
         'apps/tilewright/calls', 'apps/tilewright/command_line', 'apps/tilewright/commands',
         'apps/tilewright/pictures', 'apps/laboratory/results']
LEAST = 95


def read(path):
    """{file: ({line: count}, {(line, block, branch): count})} of the sources in the current folder."""
    files = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for record in open(path, encoding='utf-8'):
        kind, _, rest = record.strip().partition(':')
        if kind == 'SF':
            lines, branches = files[os.path.relpath(os.path.realpath(rest))]
        elif kind == 'DA':
            line, count = map(int, rest.split(',')[:2])
            lines[line] += count
        elif kind == 'BRDA':
            line, block, branch, count = rest.split(',')
            branches[line, block, branch] += 0 if count == '-' else int(count)
    return files


def share(counts):
    """'95.1 % of 1,234' of the counts that are not 0."""
    of = len(counts)
    return f'{100 * sum(c > 0 for c in counts) / of if of else 100:5.1f} % of {of:6,}'


def ranges(numbers):
    """'3-5, 9' of the numbers 3, 4, 5 and 9."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ', '.join(f'{a}-{b}' if b > a else str(a) for a, b in parts)


def main():
    """Prints the tables."""
    files = read(sys.argv[1])
    sums = collections.defaultdict(lambda: ([], []))
    for path, (lines, branches) in sorted(files.items()):
        names = ['/'.join(path.split('/')[:2])] + ['what reads'] * any(path.startswith(r) for r in READS)
        for name in names:
            sums[name][0].extend(lines.values())
            sums[name][1].extend(branches.values())
    print('what reads, not reached:')
    for path, (lines, branches) in sorted(files.items()):
        missed = [line for line, count in sorted(lines.items()) if not count]
        if missed and any(path.startswith(r) for r in READS):
            print(f'  {path} ({share(lines.values()).split(" of")[0].strip()}): {ranges(missed)}')
    for name, (lines, branches) in sums.items():
        print(f'{name:24} lines {share(lines)}, branches {share(branches)}')
    lines = sums['what reads'][0]
    if 100 * sum(c > 0 for c in lines) < LEAST * len(lines):
        sys.exit(f'coverage: tests reach fewer than {LEAST} % of the lines of what reads files and arguments')


if __name__ == '__main__':
    main()
