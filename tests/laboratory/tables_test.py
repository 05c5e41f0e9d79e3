#!/usr/bin/env python3
"""Tests apps/laboratory/tables/ on files of a few runs: the tables, the check, and what it refuses.

Usage: tables_test.py TABLES. TABLES is the path of tables.py.
"""
import json
import os
import subprocess
import sys
import tempfile

PAGE = '''# Transposes

<!-- measured: transpose u8 64x64 -->

Text that stays.
'''

TABLE = '''# Transposes

<!-- measured: transpose u8 64x64 -->

**u8 64x64**

Measured: CUDA: 2026-11-24, NVIDIA H200, CUDA 13.0, commit abc; PoCL: 2026-11-23, cpu-zen, 3.1, commit abc; \
published kernel: 2026-11-25, NVIDIA H200, CUDA 13.0, nvcc of CUDA 13.0, commit def.

| step | H200 CUDA, ms | OpenCL, ms | PoCL, ms | CPU, ms | published kernel on H200, ms \
| publication's own figure, ms |
|---|---|---|---|---|---|---|
| `direct` | 0.25 | - | - | - | 0.5 | - |
| `direct_mirrored` | 0.125 | - | - | - | - | - |
| `vector4` | 0.0444 | - | 2 * | - | - | - |
| `whirl` | 1235 | - | - | - | - | - |
| `tuned` | 0.0373 | - | 1 | - | - | - |

Times with * were not verified in the run that was timed, because the reference would have taken too long.

<!-- end -->

Text that stays.
'''


def bench(date, device, variants):
    """A file as `tilewright bench --json` writes it. A variant: name, data, time or None,
    whether verified."""
    runs = []
    for variant, data, ms, verified in variants:
        run = {'variant': f'transpose/{variant}/u8/x', 'operator': 'transpose', 'device': device['device'],
               'data': data}
        if ms is not None:
            run |= {'real_time': ms, 'batch': {'median': ms, 'p10': ms, 'p90': ms}, 'verified': verified,
                    'wrong': ''}
        runs.append(run)
    cpu = {'device': 'cpu', 'name': 'a CPU', 'driver': 'Halide threads'}
    return {'context': {'date': date, 'commit': 'abc', 'devices': [cpu, device]}, 'runs': runs}


def lines_of(file):
    """The same runs as `tilewright bench --results` writes them, one per line."""
    device = file['context']['devices'][-1]
    context = {'date': file['context']['date'], 'commit': file['context']['commit'],
               'device_name': device['name'], 'driver': device['driver']}
    return ''.join(json.dumps({**run, 'context': context}) + '\n' for run in file['runs'])


def samples():
    gpu = {'device': 'cuda:0', 'name': 'NVIDIA H200', 'driver': 'CUDA 13.0'}
    pocl = {'device': 'opencl:0', 'name': 'cpu-zen', 'driver': '3.1', 'capability': 'OpenCL 3.0 PoCL'}
    small = 'u8 64x64'
    published = {'operator': 'transpose', 'peer': 'published kernel, direct', 'type': 'u8', 'data': small,
                 'real_time': .5, 'batch': {'median': .5, 'p10': .5, 'p90': .5}, 'verified': True,
                 'wrong': ''}
    context = {'date': '2026-11-25T00:00:00Z', 'commit': 'def', 'device_name': 'NVIDIA H200',
               'driver': 'CUDA 13.0', 'toolkit': 'CUDA 13.0'}
    return {
        # The older of two files of one device: its time of `tuned` is not used.
        'old.json': bench('2026-11-22T00:00:00Z', gpu, [('tuned_any', small, 9, True)]),
        'cuda.json': bench('2026-11-24T00:00:00Z', gpu, [
            ('tuned_aligned', small, .0373, True), ('tuned_any', small, .0473, True),
            ('direct', small, .25, True), ('direct_mirrored', small, .125, True),
            ('vector4_aligned', small, .0444, True), ('vector4_any', small, .1632, True),
            ('whirl', small, 1234.7, True), ('direct', 'u8 64x640', 7, True), ('shared', small, None, True)]),
        'pocl.json': bench('2026-11-23T00:00:00Z', pocl, [
            ('vector4_any', small, 2, False), ('tuned_any', small, 1, True)]),
        'published.json': {'program': 'cuda_peers', 'context': context, 'runs': [published]},
    }


def expect(ran, code, words=''):
    assert ran.returncode == code and words in ran.stdout + ran.stderr, ran


def check_steps(tables):
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, 'transposes.md')
        os.mkdir(os.path.join(folder, 'measured'))

        def run(*words):
            return subprocess.run([sys.executable, '-B', tables, 'steps', '--pages', folder, *words],
                                  capture_output=True, text=True, check=False)

        def write(name, text):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)

        write('transposes.md', PAGE)
        expect(run('--check'), 0)  # nothing is measured, so there is nothing to write
        for name, sample in samples().items():
            write(name, json.dumps(sample))
        expect(run('--add', *[os.path.join(folder, name) for name in samples()]), 0)
        assert open(page, encoding='utf-8').read() == TABLE, open(page, encoding='utf-8').read()
        write('pocl.jsonl', lines_of(samples()['pocl.json']))
        os.remove(os.path.join(folder, 'measured', 'pocl.json'))
        expect(run('--add', os.path.join(folder, 'pocl.jsonl')), 0)
        assert open(page, encoding='utf-8').read() == TABLE, open(page, encoding='utf-8').read()
        expect(run('--check'), 0)
        write('transposes.md', TABLE.replace('0.0373', '0.0372'))
        expect(run('--check'), 1, 'transposes.md')
        expect(run(), 0)  # the table between the two lines is replaced
        assert open(page, encoding='utf-8').read() == TABLE

        wrong = samples()['cuda.json']
        wrong['runs'][0]['wrong'] = 'element 3 is 1 and must be 2'
        write('wrong.json', json.dumps(wrong))
        expect(run('--add', os.path.join(folder, 'wrong.json')), 1, 'transpose/tuned_aligned')
        write('broken.json', '{"runs": 3}')
        expect(run('--add', os.path.join(folder, 'broken.json')), 1, 'broken.json')
        write('empty.jsonl', '')
        expect(run('--add', os.path.join(folder, 'empty.jsonl')), 1, 'empty.jsonl')
        expect(run('--check'), 0)


# A program that says how the warps of each step reach memory; of `padded` while the file `padded` exists.
SHOW = r'''#!/bin/sh
far="32 bytes per warp, where neighbours would need"
case "$*" in
*"--schedule direct "*accesses) echo _kernel
    echo "    1 x global load of 1 byte from image: 2 sectors of $far 1"
    echo "    1 x global store of 1 byte to out: 1 sector of 32 bytes per warp, the least";;
*"--schedule shared "*accesses)
    echo "    1 x shared load of 1 byte from t: bank conflicts, 4 passes where 2 would do";;
*"--schedule padded "*accesses)
    [ -e "$(dirname "$0")/padded" ] &&
    echo "    1 x shared load of 1 byte from t: no bank conflict";;
*"--schedule direct "*resources) echo "_kernel sm_80 7 none"; echo "_kernel sm_90 8 none"
    echo "_other sm_90 99 none";;
*"--schedule direct "*kernels) echo "==== PTX"; echo ".version 8.0";;
*) exit 2;;
esac
exit 0
'''

# Machine code of two kernels. The loop of the first one has two loads in flight: the third load is behind the
# use of R4. The other kernel is not run.
NVDISASM = r'''#!/bin/sh
cat << 'END'
.text._kernel:
        /*0000*/                   LDG.E R2, desc[UR4][R8.64] ;
.L_x_0:
        /*0010*/                   LDG.E.64 R4, desc[UR4][R8.64] ;
        /*0020*/              @!P0 LDG.E R6, desc[UR4][R10.64] ;
        /*0030*/                   FADD R0, R0, R5 ;
        /*0040*/                   LDG.E R7, desc[UR4][R10.64] ;
        /*0050*/                   FADD R0, R6, R7 ;
        /*0060*/               @P1 BRA `(.L_x_0) ;
        /*0070*/                   EXIT ;
.text._other:
        /*0000*/                   LDG.E R2, desc[UR4][R8.64] ;
        /*0010*/                   LDG.E R3, desc[UR4][R8.64] ;
        /*0020*/                   LDG.E R4, desc[UR4][R8.64] ;
END
'''

MORE = '''<!-- accesses: transpose u8 64x64 -->

<!-- sizes: transpose; u8 64x64; u8 64x640 -->

<!-- tunable: transpose tile direct vector4; u8 64x64 -->

Here .25 ms are right and .251 ms not, and about 8 ms need no source.

7.01 ms have one (2026-11-24).
'''

MORE_TABLES = [
    '| `direct` | 2 (1) | 1 (1) | - | 2 | 8 | 0.25 |', '| `shared` | - | - | 4 (2) | - | - | - |',
    '| u8 64x64 | CUDA, H200 | 0.25 | 0.125 | 0.0444 | 1235 | 0.25 |',
    '| u8 64x64 | CUDA, H200, copies included | 9 | - | - | - | 9 |',
    '| u8 64x640 | CUDA, H200 | 7 | - | - | - | - |',
    '| `tile` | `direct`, H200 CUDA, ms |', '| 16 | 0.5 |', '| 32 | 0.75 |']


def check_more_tables(tables):
    """Tables of accesses, of sizes and of a tunable, and times in the text."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'measured'))
        paths = {name: os.path.join(folder, name) for name in
                 ('page.md', 'show', 'padded', 'cuda.json', 'ptxas', 'nvdisasm')}
        with_tools = {**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'}

        def run(*words):
            return subprocess.run([sys.executable, '-B', tables, 'steps', '--pages', folder, *words],
                                  capture_output=True, text=True, check=False, env=with_tools)

        cuda = samples()['cuda.json']
        direct = next(run for run in cuda['runs'] if '/direct/' in run['variant'])
        direct |= {'host_call': {'median': 9}, 'chosen': True}  # by a call of `tuned`
        for tile, ms in ((32, .75), (16, .5)):
            cuda['runs'].append({**direct, 'variant': f'transpose/direct/u8/x/tile={tile}',
                                 'tunables': {'tile': tile}, 'batch': {'median': ms, 'p10': ms, 'p90': ms}})
        for name, text in (('page.md', MORE), ('show', SHOW), ('cuda.json', json.dumps(cuda)),
                           ('ptxas', '#!/bin/sh\n'), ('nvdisasm', NVDISASM)):
            with open(paths[name], 'w', encoding='utf-8') as file:
                file.write(text)
            os.chmod(paths[name], 0o755)
        expect(run('--add', paths['cuda.json'], '--count', paths['show']), 0)
        with open(paths['page.md'], encoding='utf-8') as file:
            page = file.read()
        for line in MORE_TABLES:
            assert line + '\n' in page, page
        assert '`padded`' not in page, page

        checked = run('--check')
        expect(checked, 1, 'page.md: no run in measured/ and no source in the paragraph: .251 ms\n')
        with open(paths['page.md'], 'w', encoding='utf-8') as file:
            file.write(page.replace('.251', '.25'))
        expect(run('--check', '--count', paths['show'], 'transpose'), 0)
        with open(paths['padded'], 'w', encoding='utf-8'):
            pass
        expect(run('--check', '--count', paths['show'], 'transpose'), 1, 'transpose/padded is not what')
        expect(run('--check', '--count', paths['show'], 'matmul'), 0)  # no page asks for its steps


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
    check_steps(sys.argv[1])
    check_more_tables(sys.argv[1])
    check_pages(sys.argv[1])
    return 0


if __name__ == '__main__':
    sys.exit(main())
