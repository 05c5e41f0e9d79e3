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

assert 'form=tiles' in run(
    'show', *ours, '--target', 'cpu', '--tunable', 'form=tiles', '--autoscheduler', 'none')
assert 'smooth' in run('explain', *ours, '--device', 'cpu', '--size', '300x200', '--autoscheduler', 'none')

# What is wrong has one line.
assert 'smooth' in run('verify', '--generator', generator, '-g', 'smoth', code=2)
assert 'no such program' in run('verify', '--generator', generator + '.not', '-g', 'smooth', code=2)
assert "Halide's GenGen" in run('verify', '--generator', '/bin/true', '-g', 'smooth', code=2)
assert 'height' in run('explore', *ours, '--values', 'hight=1', code=2)
assert 'bias' in run('verify', *ours, '--set', 'gain=1', code=2)
