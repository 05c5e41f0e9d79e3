#!/usr/bin/env python3
"""The constants of schedules that docs/NEW-DEVICE.md lists are those that there are.

Usage: constants_test.py TILEWRIGHT NEW-DEVICE.md SCHEDULES TARGETS
"""
import json
import pathlib
import re
import subprocess
import sys

PROGRAM, PAGE, SCHEDULES, TARGETS = sys.argv[1:]


def rows_of(text, heading):
    """The cells of the table behind a line that begins so."""
    lines = text[text.index('\n' + heading):].split('\n| ')[2:]
    for line in lines:
        yield [cell.strip(' |`') for cell in line.split('\n\n')[0].split(' | ')]
        if '\n\n' in line:
            return


def bounds():
    listed = json.loads(subprocess.run([PROGRAM, 'list', '--json'], capture_output=True, check=True).stdout)
    for operator in listed['operators']:
        for variant in operator['variants']:
            for bound in variant['conditions']:
                if bound['needed']:
                    continue
                for side, sign in ('least', '>='), ('most', '<='):
                    if bound[side] not in (None, 0):
                        yield operator['operator'], bound['measure'], sign, float(bound[side])


def limits():
    for file in pathlib.Path(SCHEDULES).rglob('*'):
        for kernel, most in re.findall(r'\.registers\(\s*"(\w*)",\s*(\d+)\)', file.read_text('utf-8')
                                       if file.suffix in ('.cpp', '.h') else ''):
            yield file.name, f'{kernel or "all"} {most}'


page = pathlib.Path(PAGE).read_text('utf-8')
documented = set()
for operator_name, condition, _, origin in rows_of(page, '**Bounds.**'):
    measure, comparison, number = condition.split()
    documented.add((operator_name, measure, comparison, float(number)))
    assert origin, condition
built = set(bounds())
operators = {bound[0] for bound in built}
assert len(documented) > 30
assert built <= documented, f'not in the page: {sorted(built - documented)}'
# A build may be of fewer operators or targets than the page.
stale = {bound for bound in documented - built
         if bound[0] in operators and TARGETS == 'cpu,cuda,opencl'}
assert not stale, f'in the page alone: {sorted(stale)}'

found = set(limits())
listed_limits = {(row[0], row[1]) for row in rows_of(page, '**Limits of registers**')}
assert found == listed_limits, f'schedules: {sorted(found)}; page: {sorted(listed_limits)}'
