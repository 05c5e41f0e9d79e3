#!/usr/bin/env python3
"""What `./dev check` does once the tools are there: layout, habits, rooms, shell scripts, clang-tidy.

Usage: check.py --build FOLDER [--all]. FOLDER has compile_commands.json. clang-tidy reads the C++ files that
differ from the branch `main` (on `main` itself: from the commit before) where these are at most thirty, or
with --all every one. Prints one line per finding with what to do, and exits with 1 if there is one.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time

SOURCE = ('.cpp', '.h', '.c')  # clang-tidy reads them; it knows no CUDA headers here
MOST_READ = 30  # files that clang-tidy reads without --all: each takes 1 to 6 s


def output_of(*command):
    """The exit code of a command, and its standard output and error as one text."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.returncode, run.stdout.decode(errors='replace')


def git_names(*arguments):
    listing = subprocess.run(['git', *arguments, '-z'], check=True, capture_output=True).stdout
    return {name for name in listing.decode().split('\0') if name and os.path.isfile(name)}


def all_files():
    return sorted(git_names('ls-files', '--cached', '--others', '--exclude-standard'))


def changed_files():
    """The files that differ from where this branch left `main`; all files where git knows no such commit."""
    def commit(*command):
        code, text = output_of('git', *command)
        return text.strip() if code == 0 else None

    head = commit('rev-parse', 'HEAD')
    bases = [commit('merge-base', 'HEAD', branch) for branch in ('origin/main', 'main')]
    bases.append(commit('rev-parse', '--verify', '--quiet', 'HEAD~1'))
    base = next((b for b in bases if b and b != head), None)
    if base is None:
        return all_files()
    new = git_names('ls-files', '--others', '--exclude-standard')
    return sorted(git_names('diff', '--name-only', base) | new)


def layout(files):
    """One line per file that clang-format would change, with the first place of it."""
    _, text = output_of('clang-format', '--dry-run', '--Werror', *files)
    first = {}
    for file, line in re.findall(r'^(\S.*?):(\d+):\d+: error: ', text, re.M):
        first.setdefault(file, line)
    return [f'{file}:{line}: not in the layout of .clang-format: run ./dev format'
            for file, line in first.items()]


def script(*command):
    code, text = output_of(sys.executable, *command)
    return text.splitlines() if code else []


def shell(files):
    scripts = [file for file in files if file.endswith('.sh') or file in ('dev', '.ci/run')]
    if not shutil.which('shellcheck'):
        return []
    return output_of('shellcheck', '--format=gcc', '--severity=warning', *scripts)[1].splitlines()


def one_by_one(build):
    """Where CMake compiles several files in one go (cmake/compile_time.cmake), its list of commands names the
    file that includes them. Writes the list of one command per file for clang-tidy, without headers that are
    precompiled: clang reads none that g++ has made, and an include that is missing must show. Returns its
    folder and the names of the files."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    for entry in commands:
        entry['command'] = re.sub(r' -include \S*/cmake_pch[.]h\w*', '', entry['command'])
    for entry in [entry for entry in commands if '/Unity/unity_' in entry['file']]:
        with open(entry['file'], encoding='utf-8') as file:
            together = re.findall(r'^#include "(.*)"', file.read(), re.M)
        commands += [dict(entry, file=name, command=entry['command'].replace(entry['file'], name))
                     for name in together]
    folder = os.path.join(build, 'one_by_one')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'compile_commands.json'), 'w', encoding='utf-8') as file:
        json.dump(commands, file)
    return folder, {os.path.relpath(entry['file']) for entry in commands}


def read_with(files, compiled):
    """What clang-tidy is given to read these files: those that are compiled, and for a header that none of
    them includes, by way of other headers or itself, one compiled file that does. A header that is in no
    compiled file is left out: it belongs to an example or to a build of a user's own."""
    includes = {}
    for file in {*all_files(), *files}:
        if file.endswith(SOURCE):
            with open(file, encoding='utf-8') as text:
                includes[file] = set(re.findall(r'^#include "(.*)"', text.read(), re.M))
    path_of = {}
    for file in includes:
        for folder in ('', 'runtime/include/', 'plain/', 'python/src/'):
            path_of.setdefault(file.removeprefix(folder), file)

    def headers_of(file, seen):
        for name in includes.get(file, ()):
            header = path_of.get(name)
            if header and header not in seen:
                seen.add(header)
                headers_of(header, seen)
        return seen

    read = [file for file in files if file in compiled]
    covered = {header for file in read for header in headers_of(file, set())}
    for header in files:
        if header.endswith('.h') and header not in covered:
            reader = next((file for file in sorted(compiled) if header in headers_of(file, set())), None)
            if reader:
                read.append(reader)
                covered |= headers_of(reader, set())
    return read


def tidy(files, build):
    """clang-tidy's findings in these files and in the headers that they include."""
    build, compiled = one_by_one(build)
    files, ours = read_with(files, compiled), set(all_files())  # and no header that the build has made

    def findings(file):
        code, text = output_of('clang-tidy', '-p', build, '--quiet', file)
        found = re.findall(r'^(/\S.*?:\d+):\d+: (?:warning|error): (.*)$', text, re.M)
        if code and not found:
            return [f'{file}:1: clang-tidy failed: ' + ' '.join(text.split())[:300]]
        places = [(os.path.relpath(place), what) for place, what in found]
        return [f'{place}: {what}' for place, what in places if place.partition(':')[0] in ours]

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return sorted({line for found in pool.map(findings, files) for line in found})


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--build', required=True)
    arguments.add_argument('--all', action='store_true')
    given = arguments.parse_args()
    files = all_files()
    sources = [file for file in files if file.endswith(SOURCE)]
    changed = sources if given.all else [file for file in changed_files() if file.endswith(SOURCE)]
    if len(changed) > MOST_READ and not given.all:
        print(f'check: {len(changed)} files changed, too many for clang-tidy here: run ./dev check --all',
              file=sys.stderr)
        changed = []
    checks = {
        'layout': lambda: layout([file for file in files if file.endswith(SOURCE + ('.cu',))]),
        'habits': lambda: script('tests/build/rules/style.py',
            '--self-test') + script('tests/build/rules/style.py', '.'),
        'rooms': lambda: script('tests/build/rules/layers.py', '.'),
        'shell': lambda: shell(files),
        f'clang-tidy ({len(changed)} of {len(sources)} files)': lambda: tidy(changed, given.build),
    }
    total = 0
    for name, check in checks.items():
        start = time.monotonic()
        found = check()
        print(*found, sep='\n', end='\n' if found else '')
        print(f'check: {name}: {len(found)} to mend, {time.monotonic() - start:.1f} s', file=sys.stderr)
        total += len(found)
    return 1 if total else 0


if __name__ == '__main__':
    sys.exit(main())
