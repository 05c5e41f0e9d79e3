#!/usr/bin/env python3
"""Tests apps/laboratory/tables/ on files of a few runs.

Usage: tables_test.py TABLES. TABLES is the path of tables.py.
"""
import json
import os
import subprocess
import sys
import tempfile


def expect(ran, code, words=''):
    assert ran.returncode == code and words in ran.stdout + ran.stderr, ran


def run_of(name, operator, data, ms, **more):
    return {**name, 'operator': operator, 'type': data.split()[0], 'device': 'cpu', 'data': data,
            'real_time': ms, 'batch': {'median': ms, 'p10': ms, 'p90': ms}, **more}


PERFORMANCE = """# Times

<!-- pairs: a CPU -->
<!-- end -->

<!-- bench: transpose cpu -->
<!-- end -->
"""

SMALL = """<!-- small calls -->
<!-- end -->
"""


def check_pages(tables):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'performance'))
        files = {
            'PERFORMANCE.md': PERFORMANCE, 'performance/small.md': SMALL,
            'pairs.json': json.dumps({
                'context': {'threads': 1, 'cpu': 'avx2', 'device_name': 'a CPU', 'rounds': 3, 'commit': 'abc',
                            'date': '2026-11-24T00:00:00Z'},
                'runs': [run_of({'peer': peer}, 'transpose', 'u8 64x64', 1, cpu_ms=ms) for peer, ms in [
                    ('Tilewright', .5), ('Tilewright, new result', .1), ('NumPy transpose', 2),
                    ('OpenCV transpose', 1)]]}),
            'bench.json': json.dumps({'context': {}, 'runs': [
                run_of({'variant': 'transpose/tuned_any/u8/cpu'}, 'transpose', 'u8 64x64', .25, chosen=True),
                run_of({'variant': 'transpose/tuned_small/u8/cpu'}, 'transpose', 'u8 64x64', .2,
                    chosen=False),
                run_of({'peer': 'plain loop, 1 thread'}, 'transpose', 'u8 64x64', .1)]}),
            'calls.json': json.dumps({'context': {}, 'benchmarks': [
                {'name': f'calls/transpose/{data}/{who}/real_time', 'real_time': us} for data, who, us in [
                    ('u8 8x8', 'cpu', 3), ('u8 8x8', 'cpu', 2), ('u8 8x8', 'plain loop, 1 thread', .5),
                    ('u16 8x8', 'cpu', 7), ('u16 8x8', 'plain loop, 1 thread', 7)]]}),
        }
        for name, text in files.items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)

        def path(name):
            return os.path.join(folder, name)

        def run(*words):
            return subprocess.run([sys.executable, '-B', tables, *words], capture_output=True, text=True,
                                  check=False)

        expect(run('write', '--docs', folder, path('pairs.json'), path('bench.json'), path('calls.json')), 0)
        with open(path('PERFORMANCE.md'), encoding='utf-8') as file:
            page = file.read()
        for line in ('1 thread, avx2: 2026-11-24, commit `abc`, the least of 3 rounds by turns.',
                     '| case | 1 thread, avx2 |', '| transpose u8 64x64 | 0.5000, OpenCV 1: 0.50 |',
                     '| u8 64x64 | `transpose/tuned_small/u8/cpu` | 0.2000 | plain loop, 1 thread 0.1000 '
                     '| 2.00 |'):
            assert line + '\n' in page, page
        with open(path('performance/small.md'), encoding='utf-8') as file:
            page = file.read()
        assert '| operator | 8x8 |\n|---|---|\n| transpose u8 | 2.00 (0.50) |\n' in page, page
        assert 'u16' not in page, page
        with open(path('none.json'), 'w', encoding='utf-8') as file:
            one = run_of({'variant': 'matmul/direct/f32/cuda'}, 'matmul', 'f32 8', 1)
            json.dump({'context': {}, 'runs': [one]}, file)
        expect(run('write', '--docs', folder, path('none.json')), 0, 'no page has a line <!-- bench: matmul')

        ran = run('choice', '--list', path('bench.json'))
        expect(ran, 0, '| cpu | transpose | 1 | 0 | 1.250 | 1.25 | 1 of 1 |')
        expect(ran, 0, 'tuned_any 0.2500 ms, tuned_small 0.2000 ms, 1.25; a plain loop')
        expect(run('choice', path('calls.json')), 1, 'calls.json')


def main():
    check_pages(sys.argv[1])
    return 0


if __name__ == '__main__':
    sys.exit(main())
