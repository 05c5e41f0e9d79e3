#!/usr/bin/env python3
"""`explore --ask-tell`: the programs of docs/ASK-TELL.md, broken lines, bad points, signals; and searches in
which no point can be built.

Usage: searches_test.py TILEWRIGHT ASK-TELL.md FAULTY_GENERATOR GENERATOR WHAT
"""
import contextlib
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

PROGRAM, PAGE, FAULTY, GENERATOR, WHAT = sys.argv[1:]
SMALL = 'explore transpose --schedule tuned_small --type u8 --size 512x512 --device cpu --limit .02'.split()


def start(*more, **environment):
    return subprocess.Popen([PROGRAM, *SMALL, '--ask-tell', *more], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, **environment})


def answers(lines, *more, **environment):
    """What is answered to these lines, after the first line of `explore`."""
    process = start(*more, **environment)
    out, err = process.communicate(b'\n'.join(lines), timeout=120)
    assert process.returncode == 0, err
    first, *rest = [json.loads(line) for line in out.splitlines()]
    assert first['version'] == 1 and len(first['variants']) == 1, first
    return first['variants'][0], rest


def documents(folder):
    """The blocks of the page are one program. That with Optuna needs it."""
    blocks = re.findall(r'^```python\n(.*?)^```$', open(PAGE, encoding='utf-8').read(), re.M | re.S)
    assert len(blocks) == 3
    os.environ['PATH'] = os.path.dirname(PROGRAM) + os.pathsep + os.environ['PATH']
    os.chdir(folder)
    names, said = {'__name__': '__main__'}, io.StringIO()
    for block in blocks:
        if 'import optuna' in block and not importlib.util.find_spec('optuna'):
            print('left out: the search with Optuna, which is not installed')
            continue
        with contextlib.redirect_stdout(said):
            exec(compile(block, PAGE, 'exec'), names)
    assert names['explorer'].process.returncode == 0
    assert names['best']['verdict'] == 'ok' and names['best']['verified'], names['best']
    assert re.match(r'[\d.]+ ms with \{', said.getvalue()), said.getvalue()


def broken(folder):
    results = os.path.join(folder, 'results.jsonl')
    variant, _ = answers([])
    tunable = next(iter(variant['tunables']))
    lines = [b'not JSON', b'[]', b'{}', b'{"ask": 3}', b'\xff\xfe\x00', b'[' * 5000, b'"' + b'x' * 100000,
             b'{"ask": {"variant": "none"}}', b'{"ask": {"variant": 1}}', b'{"ask": {"case": "none"}}',
             b'{"ask": {"tunables": []}}', b'{"ask": {"tunables": {"flavour": 1}}}']
    for value in ['"8"', '1e99', '2147483648', '1.5', 'null', '-1', 'true']:
        lines.append(b'{"ask": {"tunables": {"%s": %s}}}' % (tunable.encode(), value.encode()))
    good = json.dumps({'ask': {'variant': variant['variant']}, 'id': ['any', None]}).encode()
    bad_with_id = b'{"id": 4, "ask": {"variant": "none"}}'
    _, said = answers([*lines, b'', b'  \r', bad_with_id, good], '--results', results)
    *refused, with_id, tell = said
    assert len(refused) == len(lines), said
    for line, answer in zip(lines, refused):
        assert list(answer) == ['error'] and answer['error'] and '\n' not in answer['error'], (line, answer)
    assert with_id['id'] == 4 and 'none' in with_id['error'], with_id
    assert tell['id'] == ['any', None] and tell['tell']['verdict'] == 'ok', tell
    assert tell['tell']['real_time'] > 0 and tell['tell']['verified'], tell
    assert len(open(results, encoding='utf-8').readlines()) == 1


def verdicts(folder):
    """Points that are wrong and that crash, with a generator of the test's; a report at the end."""
    link = os.path.join(folder, 'transpose.generator')
    os.symlink(FAULTY, link)
    variant, _ = answers([])
    name, of = next(iter(variant['tunables'].items()))
    other = next(value for value in of['worthwhile'] if value != of['value'])
    asks = [json.dumps({'ask': {'tunables': {name: value}}}).encode() for value in (of['value'], other)]
    for fault, verdict, reason in (('wrong', 'wrong', 'wrong result'), ('crash', 'failed', 'signal 11')):
        page = os.path.join(folder, fault)
        _, (own, faulty) = answers(asks, '--report', page, TILEWRIGHT_GENERATORS=folder,
                                   TILEWRIGHT_TEST_FAULT=fault, TILEWRIGHT_TEST_GENERATOR=GENERATOR)
        assert own['tell']['verdict'] == 'ok', own
        assert faulty['tell']['verdict'] == verdict and reason in faulty['tell']['failed'], faulty
        assert faulty['tell']['tunables'][name] == other, faulty
        assert os.path.exists(os.path.join(page, 'report.html'))


def signals(_):
    process = start()
    process.stdout.readline()  # then it waits for a point
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    refusal = subprocess.run([PROGRAM, *SMALL, '--ask-tell', '--points', '3'], capture_output=True,
                             text=True, check=False)
    assert refusal.returncode == 2 and '--points' in refusal.stderr, refusal


def search(folder, *more, **environment):
    """A search with a generator of the test's. Returns what it said, and the lines of its results."""
    results = os.path.join(folder, 'results.jsonl')
    ours = {'TILEWRIGHT_GENERATORS': folder, 'TILEWRIGHT_TEST_GENERATOR': GENERATOR}
    where = [] if '--bundle' in more else ['--results', results]
    ran = subprocess.run([PROGRAM, *SMALL, *where, *more], capture_output=True, text=True,
                         check=False, timeout=120, env={**os.environ, **ours, **environment})
    lines = []
    if os.path.exists(results):
        with open(results, encoding='utf-8') as file:
            lines = [json.loads(line) for line in file]
        os.remove(results)
    return ran, lines


def tools(folder):
    """Where no point can be built, a search ends with one line, before or after the own values are timed."""
    os.symlink(FAULTY, os.path.join(folder, 'transpose.generator'))
    for more in [], ['--bundle', os.path.join(folder, 'bundle')], ['--ask-tell']:
        no_linker, lines = search(folder, *more, PATH='')
        assert no_linker.returncode == 1 and no_linker.stdout == '' and lines == [], no_linker
        assert no_linker.stderr.count('\n') == 1 and 'install binutils' in no_linker.stderr, no_linker

    # What is refused makes no folder for a report.
    page = os.path.join(folder, 'page')
    for more in ['--sigma', '3'], ['--bundle', os.path.join(folder, 'bundle')]:
        refused, _ = search(folder, *more, '--report', page)
        assert refused.returncode == 2 and not os.path.exists(page), refused

    # A generator without its Halide, for example. The point is not kept as tried.
    no_halide, lines = search(folder, '--points', '3', TILEWRIGHT_TEST_FAULT='no-library')
    assert no_halide.returncode == 1 and len(lines) == 1 and 'real_time' in lines[0], (no_halide, lines)
    assert no_halide.stderr.count('\n') == 1 and 'does not run here' in no_halide.stderr, no_halide
    assert 'libHalide.so' in no_halide.stderr, no_halide

    crashing, lines = search(folder, '--points', '3', TILEWRIGHT_TEST_FAULT='crash')
    assert crashing.returncode == 1 and len(lines) == 3 and 'best values' in crashing.stdout, crashing
    assert crashing.stderr.count('\n') == 1, crashing
    reason = 'each of the 2 points that were built failed for one reason: it crashed'
    assert reason in crashing.stderr, crashing


with tempfile.TemporaryDirectory() as work:
    {'documents': documents, 'broken': broken, 'verdicts': verdicts, 'signals': signals,
     'tools': tools}[WHAT](work)
