#!/usr/bin/env python3
"""Holds two rules of docs/STRUCTURE.md: a file includes only from its own room, or from one to its left, and
algorithms contain mathematics only: no word about a target or a backend.

Usage: layers.py FOLDER. Reads every #include "..." of every source file under FOLDER, and every word of the
algorithms, prints each one that breaks a rule, and exits with 1 if there is one. `--self-test` checks that
each rule finds what it is for.
"""
import os
import re
import sys

# Each room, and the rooms to its left. A file belongs to the room with the longest matching folder.
LEFT = {
    'generators/algorithms': [],
    'schedules': ['generators/algorithms'],
    'generators': ['generators/algorithms', 'schedules'],
    'runtime/include/tilewright': [],
    'runtime/process': ['runtime/include/tilewright'],
    'runtime/errors': ['runtime/include/tilewright', 'runtime/process'],
    'runtime/devices': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors'],
    'runtime/measured': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors'],
    'runtime/arrays': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors', 'runtime/devices'],
    'runtime/files': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors', 'runtime/devices',
                      'runtime/arrays'],
    'runtime/dispatch': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors', 'runtime/devices',
                         'runtime/arrays', 'runtime/measured'],
    'runtime/operators': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors',
                          'runtime/devices', 'runtime/arrays', 'runtime/dispatch', 'runtime/workloads'],
    'runtime/workloads': ['runtime/include/tilewright', 'runtime/process', 'runtime/errors',
                          'runtime/devices', 'runtime/arrays', 'runtime/dispatch'],
    'plain': ['runtime'],
    'apps/tilewright': ['runtime', 'plain'],
    'apps/laboratory': ['runtime', 'plain', 'apps/tilewright'],
    'apps': ['apps/tilewright', 'apps/laboratory'],  # main.cpp
    'python': ['runtime'],
    'tests': ['generators', 'schedules', 'runtime', 'plain', 'apps'],
}
# Rooms that see generated libraries, and the plain headers (without Halide) of the algorithms, across the
# arrow `=>`.
ACROSS = ('runtime', 'plain', 'apps')

# Words that files of generators/algorithms may not contain, neither alone nor as a part of an identifier or a
# string.
TARGET_WORDS = {'cuda', 'opencl', 'gpu', 'cpu', 'nvvm', 'ptx', 'target', 'feature', 'backend'}
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.S)

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def room_of(path):
    rooms = [room for room in LEFT if path.startswith(room + '/')]
    return max(rooms, key=len) if rooms else None


def read(files):
    """The includes of each file, and which of the project's files they name."""
    includes = {}
    for path, text in files.items():
        found = []
        for quote, name in INCLUDE.findall(text):
            candidates = [name, 'runtime/include/' + name, 'plain/' + name]
            found.append((quote, name, next((c for c in candidates if c in files), None)))
        includes[path] = found
    return includes


def violations(files):
    includes = read(files)

    def sees_halide(path, seen):
        if path in seen:
            return False
        seen.add(path)
        return any(name == 'Halide.h' or (target and sees_halide(target, seen))
                   for _, name, target in includes[path])

    wrong = []
    for path in sorted(files):
        room = room_of(path)
        if room is None:
            continue
        for quote, name, target in includes[path]:
            if name == 'Halide.h' and room.startswith(ACROSS):
                wrong.append(f'{path}: includes Halide.h, which only generators may')
            if target is None:
                if quote == '"' and '/' in name:
                    wrong.append(f'{path}: "{name}" is no file of the project '
                                 '(paths begin at the project\'s folder)')
                continue
            other = room_of(target)
            if other == room or any(other == left or other.startswith(left + '/') for left in LEFT[room]):
                continue
            if room.startswith(ACROSS) and other == 'generators/algorithms':
                if sees_halide(target, set()):
                    wrong.append(f'{path}: "{name}" brings Halide.h into {room}')
                continue
            wrong.append(f'{path}: "{name}" lies in {other}, which is not to the left of {room}')
    return wrong


def target_words(files):
    """The words about targets in algorithms, without comments."""
    wrong = []
    for path in sorted(files):
        if not path.startswith('generators/algorithms/'):
            continue
        code = COMMENT.sub(lambda comment: '\n' * comment[0].count('\n'), files[path])
        for number, line in enumerate(code.split('\n'), 1):
            for identifier in re.findall(r'[A-Za-z_]\w*', line):
                parts = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', identifier).lower().split('_')
                if TARGET_WORDS & {part.rstrip('s') for part in parts + [identifier.lower()]}:
                    wrong.append(f'{path}:{number}: "{identifier}" is a word about targets; '
                                 'algorithms say mathematics only')
    return wrong


def self_test():
    good = {'generators/algorithms/a/a.h': '#include "Halide.h"\n', 'generators/algorithms/a/numbers.h': '',
            'schedules/a.cpp': '#include "generators/algorithms/a/a.h"\n',
            'runtime/operators/a/a.cpp':
                '#include "generators/algorithms/a/numbers.h"\n#include "tilewright/a.h"\n',
            'runtime/include/tilewright/a.h': '', 'apps/laboratory/a.h': '',
            'apps/main.cpp': '#include "apps/laboratory/a.h"\n'}
    assert not violations(good), violations(good)
    for path, line in [('generators/algorithms/a/b.h', '"schedules/a.cpp"'),
                       ('runtime/operators/a/b.cpp', '"generators/algorithms/a/a.h"'),
                       ('runtime/errors/b.cpp', '"runtime/operators/a/a.cpp"'),
                       ('plain/b.cpp', '"Halide.h"'),
                       ('apps/tilewright/b.cpp', '"schedules/a.cpp"'),
                       ('apps/tilewright/b.cpp', '"apps/laboratory/a.h"'),
                       ('schedules/b.cpp', '"runtime/include/tilewright/a.h"'),
                       ('apps/laboratory/c.cpp', '"support/no.h"')]:
        assert len(violations({**good, path: f'#include {line}\n'})) == 1, (path, line)

    allowed = {'generators/algorithms/a/a.h': '// On a GPU.\n/* Target */ int graph = occupant; // cuda\n',
               'schedules/a.cpp': 'gpu_blocks();'}
    assert not target_words(allowed), target_words(allowed)
    for line in ['if (target.has_gpu_feature()) {', 'Halide::Target t;', 'bool onGPU;',
                 'bool on_gpu; // fine', 'call("llvm.nvvm.prmt");', 'if (name == "opencl") {', 'int CPUs;',
                 'auto x = OpenCL;']:
        assert target_words({'generators/algorithms/a/a.h': f'// one\n{line}\n'}), line


def main():
    if sys.argv[1:] == ['--self-test']:
        self_test()
        return 0
    folder = sys.argv[1]
    files = {}
    for base, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(('.', 'build')) and f != 'out'
                      or f == 'build' and base.endswith('tests')]
        for name in names:
            if name.endswith(('.h', '.cpp', '.c', '.cu')):
                path = os.path.join(base, name)
                with open(path, encoding='utf-8') as file:
                    files[os.path.relpath(path, folder)] = file.read()
    wrong = violations(files)
    words = target_words(files)
    summary = (f'{len(wrong)} includes go the wrong way, and {len(words)} words about targets are in '
               f'algorithms, of {len(files)} files')
    print('\n'.join(wrong + words + [summary]))
    return 1 if wrong or words else 0


if __name__ == '__main__':
    sys.exit(main())
