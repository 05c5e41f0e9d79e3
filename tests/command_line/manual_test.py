#!/usr/bin/env python3
"""What a terminal and a shell get: manual pages, completions, topics, colours, and --quiet.

manual_test.py PROGRAM SHARE NAME: SHARE has the files of apps/manual.py, NAME is one of the tests below.
Prints "not run here" where the tool is missing that the test needs.
"""
import glob
import json
import os
import pty
import re
import shutil
import subprocess
import sys

PROGRAM, SHARE, NAME = sys.argv[1:]
BARE = dict(os.environ, CUDA_VISIBLE_DEVICES='-1', OCL_ICD_VENDORS='/nonexistent', TERM='xterm')
for variable in ('NO_COLOR', 'TILEWRIGHT_DEVICE'):
    BARE.pop(variable, None)


def needs(tool):
    if not shutil.which(tool):
        print(f'not run here: no {tool} on PATH')
        sys.exit(0)


def output(*words, **environment):
    run = subprocess.run(words, env=dict(BARE, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.returncode == 0, (words, run.stderr.decode())
    return run.stdout.decode(), run.stderr.decode()


def on_terminal(*words, **environment):
    """What the program prints to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, env=dict(BARE, **environment), stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        text = b''
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return text.decode()


GRAMMAR = json.loads(output(PROGRAM, 'help', '--json')[0])
COMMANDS = {command['name']: command for command in GRAMMAR['commands']}
OPERATOR = next(name for name, command in COMMANDS.items() if command['group'] == 'Operators')


def pages():
    found = sorted(glob.glob(f'{SHARE}/man/man1/*.1'))
    assert len(found) == 1 + len(COMMANDS), found
    for name, command in COMMANDS.items():
        with open(f'{SHARE}/man/man1/tilewright-{name}.1', encoding='utf-8') as file:
            text = file.read().replace('\\-', '-')
        for parameter in command['parameters']:
            for option in parameter['names']:
                assert f'\\fB{option}\\fR' in text, (name, option)
    tools = [tool for tool in ('mandoc', 'man') if shutil.which(tool)]
    if not tools:
        needs('mandoc')
    for path in found:
        if 'mandoc' in tools:
            output('mandoc', '-T', 'lint', '-W', 'error', path)
        if 'man' in tools:
            warnings = output('man', '--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', path)[1]
            assert warnings == '', (path, warnings)


# Words as they are typed, and some of those that complete the last one.
COMPLETED = [(['verif'], {'verify'}), (['verify', '--qu'], {'--quiet'}),
             (['verify', OPERATOR[:-1]], {OPERATOR}), (['verify', '--device', ''], {'cpu', 'cuda', 'opencl'}),
             (['help', 'bord'], {'borders'}), (['zzz', ''], set())]
if 'gaussian_blur' in COMMANDS:
    COMPLETED.append((['gaussian_blur', '--border', ''], {'reflect', 'mirror', 'nearest', 'zero'}))


def bash():
    needs('bash')
    for words, expected in COMPLETED:
        typed = ' '.join(f"'{word}'" for word in ['tilewright', *words])
        script = (f'set -u; source {SHARE}/bash-completion/completions/tilewright; COMP_WORDS=({typed}); '
                  f'COMP_CWORD={len(words)}; _tilewright; printf "%s\\n" "${{COMPREPLY[@]:-}}"')
        offered = set(output('bash', '-c', script)[0].split())
        assert offered >= expected and (expected or not offered), (words, offered)


def fish():
    needs('fish')
    for words, expected in COMPLETED:
        script = (f'source {SHARE}/fish/vendor_completions.d/tilewright.fish; '
                  f'complete -C "tilewright {" ".join(words)}"')
        offered = {line.split('\t')[0] for line in output('fish', '-N', '-c', script)[0].splitlines()}
        assert offered >= expected, (words, offered)


def zsh():
    needs('zsh')
    # What compadd and its callers are given, in a shell that has no terminal to complete in.
    for words, expected in COMPLETED:
        typed = ' '.join(['tilewright', *words])
        script = (f'fpath=({SHARE}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; '
                  'zmodload zsh/zpty; zpty it zsh -f -i; '
                  'zpty -w it "fpath=($fpath); autoload -Uz compinit; compinit -u -D; '
                  "LISTMAX=10000; PS1=; COLUMNS=200; stty cols 200\"; "
                  "zpty -w it 'echo BEGIN'; zpty -r -m it it '*BEGIN*BEGIN*'; "
                  f"zpty -w -n it '{typed}'$'\\t\\t'; "
                  'sleep 1; while zpty -r -t it line; do print -r -- "$line"; done; zpty -d it')
        shown = output('zsh', '-f', '-c', script)[0]
        assert all(word in shown for word in expected), (words, shown)


def topics():
    overview = output(PROGRAM, 'help')[0]
    assert len(GRAMMAR['topics']) >= 6
    for topic in GRAMMAR['topics']:
        text = output(PROGRAM, 'help', topic['name'])[0]
        assert f'  {topic["name"]} ' in overview and topic['title'] in overview
        assert text.startswith(topic['title'] + '\n\n') and max(map(len, text.split('\n'))) <= 110, text
    for name in COMMANDS:
        assert name in overview
        if name not in [topic['name'] for topic in GRAMMAR['topics']]:
            assert output(PROGRAM, 'help', name) == output(PROGRAM, name, '--help')
    wrong = subprocess.run([PROGRAM, 'help', 'border'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (wrong.returncode, wrong.stdout) == (2, b'') and b"did you mean 'borders'" in wrong.stderr, wrong


VERIFY = (PROGRAM, 'verify', OPERATOR, '--device', 'cpu', '--schedule', 'reference')


def colours():
    plain, green, red = '\033[', '\033[32mok\033[0m ', '\033[31mFAIL\033[0m '
    text = on_terminal(*VERIFY)
    assert green in text and red not in text, text
    assert plain not in output(*VERIFY)[0]
    assert not re.search(r'\033\[[\d;]*m', on_terminal(*VERIFY, NO_COLOR='1'))
    assert plain not in on_terminal(*VERIFY, TERM='dumb')
    assert green in on_terminal(*VERIFY, NO_COLOR='')
    assert red in on_terminal(PROGRAM, 'doctor', TILEWRIGHT_THREADS='none'), 'doctor'


def quiet():
    out, errors = output(*VERIFY)
    assert '\nok ' in '\n' + out and errors.startswith('tilewright: verify: '), (out, errors)
    assert output(*VERIFY, '--quiet') == ('', '')
    assert output(*VERIFY, '-q') == ('', '')
    assert output(PROGRAM, 'list', OPERATOR, '--quiet') == output(PROGRAM, 'list', OPERATOR)
    wrong = subprocess.run([*VERIFY, '--quiet', '--type', 'none'], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith('tilewright: error: '), wrong


{test.__name__: test for test in (pages, bash, zsh, fish, topics, colours, quiet)}[NAME]()
