"""foreign_test.py TILEWRIGHT GENERATOR: explores a generator that knows nothing of Tilewright."""
import json
import os
import subprocess
import sys
import tempfile

program, generator = sys.argv[1:]
ours = ['--generator', generator, '-g', 'smooth']


def run(*words, code=0):
    ran = subprocess.run([program, *words], capture_output=True, text=True)
    assert ran.returncode == code, (words, ran)
    if code:
        assert ran.stderr.count('\n') == 1, ran.stderr  # one line
    return ran.stderr if code else ran.stdout


devices = 'cpu,opencl' if any(one['device'].startswith('opencl') and one['usable'] for one in json.loads(
    run('devices', '--json'))['devices']) else 'cpu'

# Its own schedule is right on every device, with a number that the library takes.
verified = json.loads(run(
    'verify', *ours, '--device', devices, '--autoscheduler', 'none', '--set', 'bias=3', '--json'))
ran = [one for one in verified['variants'] if one['device']]
assert {one['verdict'] for one in ran if one['schedule'] == 'own'} == {'ok'}, verified
assert all(one['samples'] == 3 for one in ran), verified

with tempfile.TemporaryDirectory() as folder:
    # Each point is built and verified; the one that computes something else is called wrong.
    results = os.path.join(folder, 'results.jsonl')
    table = run('explore', *ours, '--device', devices, '--autoscheduler', 'none', '--size', '400x300',
                '--limit', '.02', '--budget', '60', '--points', '9', '--values', 'height=1,4',
                '--values', 'threshold=3,4', '--results', results,
                '--report', os.path.join(folder, 'report.html'))
    assert 'smooth/own/u8/cpu' in table, table
    with open(results, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    wrong = [one for one in lines if one['tunables']['threshold'] == 4]
    right = [one for one in lines if one['tunables']['threshold'] == 3]
    assert wrong and all(one['failed'].startswith('wrong result') for one in wrong), wrong
    assert right and all(one['verified'] and one['real_time'] > 0 for one in right), right
    assert {one['tunables']['form'] for one in lines} == {'rows', 'tiles'}, lines
    assert os.path.getsize(os.path.join(folder, 'report.html')) > 10000

    # A bundle has all libraries that it needs, and not the program of the generator.
    bundle, found = os.path.join(folder, 'bundle'), os.path.join(folder, 'found.jsonl')
    made = run('explore', *ours, '--device', 'cpu', '--autoscheduler', 'Mullapudi2016,Anderson2021', '--size',
               '400x300', '--limit', '.02', '--points', '6', '--values', 'height=1,4,8', '--values',
               'Mullapudi2016.parallelism=2,4', '--set', 'bias=2', '--bundle', bundle)
    assert ' points of 2 variants' in made, made
    elsewhere = subprocess.run([bundle, '--budget', '60', '--results', found], capture_output=True, text=True,
                               cwd=folder, env={**os.environ, 'TMPDIR': folder, 'PATH': '/usr/bin:/bin'})
    assert elsewhere.returncode == 0, elsewhere
    with open(found, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    tried = [one for one in lines if not one.get('again')]
    assert {one['schedule'] for one in tried} == {'own', 'mullapudi2016'} and len(tried) >= 5, lines
    assert all(one['verified'] and 'bias=2' in one['case'] for one in tried), lines
    assert {one['tunables'].get('Mullapudi2016.parallelism') for one in tried} >= {2, 4}, lines

    # A picture takes the place of random data; its colours are interleaved where the generator wants that.
    picture = os.path.join(folder, 'picture.npy')
    with open(picture, 'wb') as file:
        head = "{'descr': '|u1', 'fortran_order': False, 'shape': (21, 37, 3), }".ljust(117) + '\n'
        file.write(b'\x93NUMPY\x01\x00' + bytes([len(head), 0]) + head.encode())
        file.write(bytes(range(256)) * 9 + bytes(27))
    for name, size, more in ('colours', '37x20x3', []), ('smooth', '35x20', ['--grey']):
        timed = json.loads(run('bench', '--generator', generator, '-g', name, '--device', 'cpu', '--limit',
                               '.02', '--autoscheduler', 'none', '--input', picture, '--json', '-', *more))
        assert all(one['verified'] for one in timed['runs']) and len(timed['runs']) == 2, timed
        assert all(f'output-size={size}' in one['settings'] for one in timed['runs']), timed

# Four dimensions, and each autoscheduler of the CPU; another generator of the program says what is right.
verified = json.loads(run('verify', '--generator', generator, '-g', 'volumes', '--device', 'cpu', '--json'))
right = {one['schedule'] for one in verified['variants'] if one['verdict'] == 'ok'}
assert right == {'own', 'mullapudi2016', 'adams2019', 'li2018'}, verified
more = ['--autoscheduler', 'Adams2019', '--values', 'Adams2019.beam_size=1,2']
assert 'WRONG' not in run('verify', '--generator', generator, '-g', 'volumes', '--device', 'cpu', *more)
plain = ['--device', 'cpu', '--autoscheduler', 'none', '--reference', 'plain']
assert run('verify', *ours, *plain).startswith('ok ')
assert '1 of 2' in run('bench', *ours, *plain, '--param', 'threshold=4', '--limit', '.02', '--json', '-',
                       code=6)

assert 'form=tiles' in run(
    'show', *ours, '--target', 'cpu', '--tunable', 'form=tiles', '--autoscheduler', 'none')
assert 'smooth' in run('explain', *ours, '--device', 'cpu', '--size', '300x200', '--autoscheduler', 'none')

# What is wrong has one line.
assert 'smooth' in run('verify', '--generator', generator, '-g', 'smoth', code=2)
assert 'no such program' in run('verify', '--generator', generator + '.not', '-g', 'smooth', code=2)
assert "Halide's GenGen" in run('verify', '--generator', '/bin/true', '-g', 'smooth', code=2)
assert 'height' in run('explore', *ours, '--values', 'hight=1', code=2)
assert 'bias' in run('verify', *ours, '--set', 'gain=1', code=2)
assert 'other arguments' in run('verify', *ours, '--reference', 'volumes', code=2)
assert 'several outputs' in run('verify', '--generator', generator, '-g', 'both', code=2)
assert '--against' in run('explore', *ours, '--against', 'plain.so', '--bundle', 'bundle', code=2)
