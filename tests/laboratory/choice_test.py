#!/usr/bin/env python3
"""Tests apps/laboratory/tables/choice.py on a file of a few runs.

Usage: choice_test.py PROGRAM. PROGRAM is the path of choice.py.
"""
import json
import os
import subprocess
import sys
import tempfile


def run_of(name, ms, **more):
    return {**name, 'operator': 'transpose', 'type': 'u8', 'device': 'cpu', 'data': 'u8 64x64',
            'real_time': ms, 'batch': {'median': ms, 'p10': ms, 'p90': ms}, **more}


BENCH = {'context': {}, 'runs': [
    run_of({'variant': 'transpose/tuned_any/u8/cpu'}, .25, chosen=True),
    run_of({'variant': 'transpose/tuned_small/u8/cpu'}, .2, chosen=False),
    run_of({'peer': 'plain loop, 1 thread'}, .1)]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        def expect(content, code, *words):
            path = os.path.join(folder, 'bench.json')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump(content, file)
            ran = subprocess.run([sys.executable, '-B', sys.argv[1], '--list', path], capture_output=True,
                                 text=True, check=False)
            assert ran.returncode == code and all(word in ran.stdout + ran.stderr for word in words), ran

        expect(BENCH, 0, '| cpu | transpose | 1 | 0 | 1.250 | 1.25 | 1 of 1 |',
               'tuned_any 0.2500 ms, tuned_small 0.2000 ms, 1.25; a plain loop')
        expect({'context': {}, 'runs': BENCH['runs'][2:]}, 1, 'the files have no times')
        expect({'context': {}, 'benchmarks': []}, 1, 'bench.json: it has no runs')


if __name__ == '__main__':
    main()
