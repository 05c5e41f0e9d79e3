#!/usr/bin/env python3
"""Options of ptxas as tunables, on the fake driver of CUDA, which runs no kernel: every result is wrong, and
what counts is which machine code is made, and that the driver gets it.

Usage: ptxas_options_test.py TILEWRIGHT FOLDER_OF_THE_FAKE_DRIVER
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM, FAKE_CUDA = sys.argv[1:]
BENCH = 'bench transpose --schedule padded --type u8 --size 64x64 --device cuda --batch 1 --repeats 3'.split()
FAILED, WRONG = 1, 6
# In the place of ptxas: writes down its options, lets the true one (where there is one) assemble the text,
# and makes what the fake driver takes for machine code.
ASSEMBLER = r"""#!/bin/sh
cat >"$0.text" || exit 1
echo "$*" >>"$0.calls"
[ -z "$TRUE_PTXAS" ] || "$TRUE_PTXAS" "$1" "$2" "$3" -o "$0.cubin" "$0.text" || exit 1
{ printf 'cubin\000of'; cat "$0.text"; } >"$5"
"""


def run(words, **more):
    libraries = FAKE_CUDA + ':' + os.environ.get('LD_LIBRARY_PATH', '')
    environment = {**os.environ, **more, 'LD_LIBRARY_PATH': libraries}
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300, env=environment,
                          check=False)


listed = json.loads(subprocess.run([PROGRAM, 'list', 'transpose', '--json'], capture_output=True, text=True,
                                   check=True).stdout)
if not any(one['backend'] == 'cuda' for one in listed['operators'][0]['variants']):
    print('not run here: this build has no libraries for CUDA')
    sys.exit()
true_ptxas = shutil.which('ptxas', path=os.environ['PATH'] + ':/usr/local/cuda/bin') or ''
with tempfile.TemporaryDirectory() as folder:
    ptxas = os.path.join(folder, 'ptxas')
    with open(ptxas, 'w', encoding='utf-8') as file:
        file.write(ASSEMBLER)
    os.chmod(ptxas, 0o755)
    assembled = run(
        [*BENCH, '--tunable', 'ptxas_level=1', '--tunable', 'ptxas_registers=0,10', '--json', '-'],
        TILEWRIGHT_PTXAS=ptxas, TRUE_PTXAS=true_ptxas)
    assert assembled.returncode == WRONG, assembled
    runs = [one for one in json.loads(assembled.stdout)['runs'] if 'ptxas_level' in one.get('tunables', {})]
    values = [(one['tunables']['ptxas_level'], one['tunables']['ptxas_registers']) for one in runs]
    assert values == [(1, 0), (1, 10)], assembled.stdout
    assert not any('failed' in one for one in runs), runs
    assert all(one['first_call_ms'] > 0 for one in runs), runs
    with open(ptxas + '.calls', encoding='utf-8') as file:
        calls = [line.split()[:3] for line in file]
    # the fake devices that run the libraries have compute capability 9.0 and 8.0
    assert calls == [[f'-arch=sm_{arch}', '-O1', f'--register-usage-level={level}']
                     for level in (0, 10) for arch in (80, 90)], calls
    with open(ptxas + '.text', encoding='utf-8') as file:
        assert file.readline() == '// made by ptxas with ptxas_level=1 ptxas_registers=10 \n'

    refused = run([*BENCH, '--tunable', 'ptxas_level=4'])
    assert refused.returncode == 2 and 'ptxas_level takes 0 to 3' in refused.stderr, refused
    missing = run([*BENCH, '--tunable', 'ptxas_level=1'], TILEWRIGHT_PTXAS='/nonexistent')
    assert missing.returncode == FAILED and '/nonexistent is no program' in missing.stdout, missing
    search = 'explore transpose --schedule padded --type u8 --size 64x64 --device cuda --ptxas'.split()
    missing = run(search, TILEWRIGHT_PTXAS='/nonexistent')
    assert missing.returncode == FAILED and missing.stdout == '', missing
    assert missing.stderr.count('\n') == 1 and '/nonexistent is no program' in missing.stderr, missing
    first = run([*search, '--ask-tell'], TILEWRIGHT_PTXAS=ptxas)
    tunables = json.loads(first.stdout)['variants'][0]['tunables']
    assert tunables['ptxas_level'] == {'value': 3, 'low': 0, 'high': 3, 'worthwhile': [0, 1, 2, 3]}, tunables
    assert tunables['ptxas_registers']['worthwhile'] == list(range(11)), tunables
    bundle = run([*search, '--bundle', os.path.join(folder, 'bundle')])
    assert bundle.returncode == 2 and '--ptxas' in bundle.stderr, bundle
