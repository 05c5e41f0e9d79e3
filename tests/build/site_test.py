#!/usr/bin/env python3
"""The site is built without a warning, loads nothing from the network, and its search answers what users ask.

site_test.py SOURCE BUILD: runs where `./dev site` was run in this clone and this build folder.
"""
import glob
import os
import re
import subprocess
import sys

source, build = sys.argv[1:]
python = f'{build}/site_venv/bin/python'
if not os.path.exists(python) or not os.path.exists(f'{source}/out/photo.png'):
    print('not run here: `./dev site` installs mkdocs, and has not been run in this build folder')
    sys.exit(0)
environment = dict(os.environ, TILEWRIGHT_PROGRAM=f'{build}/apps/tilewright/tilewright',
                   TILEWRIGHT_PYTHON_PACKAGE=f'{build}/python/package', NO_MKDOCS_2_WARNING='1')
subprocess.run([python, '-m', 'mkdocs', 'build', '--strict', '-d', f'{build}/tests/site'], cwd=source,
               check=True, env=environment)
for page in glob.glob(f'{build}/tests/site/**/*.html', recursive=True):
    with open(page, encoding='utf-8') as file:
        loaded = re.findall(r'<(?:script|link|img)\b[^>]*(?:src|href)="?(?:https?:)?//[^>]*>', file.read())
    assert not loaded or '/reports/' in page, (page, loaded)
subprocess.run([python, f'{source}/tests/build/site_search.py', f'{build}/tests/site', '--least', '20'],
               check=True)
