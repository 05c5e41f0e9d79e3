#!/usr/bin/env python3
"""Runs the commands of docs/steps/ that make its tables, on small data and on the fake driver of CUDA, and
checks that each lesson has its parts.

Usage: commands_of_steps_test.py TILEWRIGHT FOLDER_OF_THE_FAKE_DRIVER PAGE... The fake driver launches
nothing, so that every result is wrong (exit code 6); what counts is that each command is understood, and
that there are such variants, which serve the data. Of other commands the schedules and the tunables are held
against `tilewright list --json`.
"""
import json
import os
import re
import shlex
import subprocess
import sys

COMMAND = re.compile(r'^    tilewright (.*)$|`tilewright ([^`]*)`', re.M)
TIMING = ('bench', 'explore')
MOST = 64
DONE, WRONG = 0, 6
# Those of the pages; a build may have fewer.
OPERATORS = {'column_sum', 'row_sum', 'transpose', 'matmul', 'min_plus_convolution', 'recursive_gaussian',
             'gaussian_blur', 'fft2d', 'fresnel'}

NO_LESSONS = {'README.md', 'counters.md'}
PARTS = ('**The task of this lesson:**', '**Source', '**On your own GPU**', '| sectors per', 'Measured: ')


def check_lessons(pages):
    """Each has a task, a source, counters, times with their origin, and at its end something to try. The
    counters of opencl_guidelines.md are those of gaussian_blur.md."""
    lessons = [page for page in pages if os.path.basename(page) not in NO_LESSONS]
    assert len(lessons) > 7, lessons
    for page in lessons:
        with open(page, encoding='utf-8') as file:
            text = file.read()
        counts = not page.endswith('opencl_guidelines.md')
        missing = [part for part in PARTS if part not in text and (counts or 'sectors' not in part)]
        assert not missing, f'{page} has no {missing}'
        assert re.findall('^## (.*)$', text, re.M)[-1] == 'Try it', f'{page}: it ends with nothing to try'


def commands_of(pages):
    for page in pages:
        with open(page, encoding='utf-8') as file:
            for found in COMMAND.finditer(file.read()):
                yield os.path.basename(page), shlex.split(found[1] or found[2], comments=True)


def value_of(words, option):
    return words[words.index(option) + 1] if option in words else ''


def without(words, option):
    i = words.index(option) if option in words else len(words)
    return words[:i] + words[i + 2:]


def check_names(operators, words):
    """Every schedule and tunable of a command is in the list. A word in capitals stands for any."""
    for operator in [word for word in words if word in operators]:
        variants = operators[operator]
        for schedule in re.findall('[a-z_0-9]+', value_of(words, '--schedule')):
            rows = [one for one in variants if schedule in (one['schedule'], one['family'])]
            assert rows, f'{operator} has no {schedule}'
            for tunable in filter(None, value_of(words, '--tunable').split('=')[:1]):
                assert any(tunable in one['tunables'] for one in rows), f'{schedule} has no {tunable}'


def small(words):
    """A command of `bench` on data of at most 64 x 64, with few calls."""
    for option in ('--tunable', '--budget', '--json'):
        words = without(words, option)
    if '--size' in words:
        sizes = {re.sub(r'\d+', lambda side: str(min(int(side[0]), MOST)), size)
                 for size in value_of(words, '--size').split(',')}
        words[words.index('--size') + 1] = ','.join(sorted(sizes))
    return ['bench', *[word for word in words[1:] if word != '--peers'], '--batch', '1', '--repeats', '3']


def main():
    program, driver, *pages = sys.argv[1:]
    check_lessons(pages)
    environment = {**os.environ, 'LD_LIBRARY_PATH': driver, 'OCL_ICD_VENDORS': '/none',
                   'TILEWRIGHT_MEASURED': 'off'}
    listed = json.loads(subprocess.run([program, 'list', '--json'], capture_output=True, check=True).stdout)
    operators = {one['operator']: one['variants'] for one in listed['operators']}
    ran = 0
    for page, words in commands_of(pages):
        check_names(operators, words)
        is_built = not set(words) & (OPERATORS - set(operators))
        if words[0] in TIMING and is_built and '--size' in words and value_of(words, '--device') == 'cuda':
            call = [program, *small(words)]
            done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
            assert done.returncode in (DONE, WRONG), f'{page}: {shlex.join(call)}\n{done.stdout}{done.stderr}'
            ran += 1
    assert ran > 15 or OPERATORS - set(operators), f'only {ran} commands were found'


if __name__ == '__main__':
    main()
