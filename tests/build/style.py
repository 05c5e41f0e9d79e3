#!/usr/bin/env python3
"""Holds the habits that need no tool: line length, file length, white space, paragraphs of Markdown.

Usage: style.py FOLDER. Reads every file that git tracks or would track in FOLDER, prints one line per finding
with what to do, and exits with 1 if there is one. `--self-test` checks that each rule finds what it is for.
`./dev check` runs both.
"""
import os
import re
import subprocess
import sys

LINE, FILE = 110, 400
CODE = re.compile(r'(\.(cpp|h|c|cu|js|py|cmake|sh)|(^|/)(CMakeLists\.txt|dev|run))$')
# What a file over FILE lines says in its first comment.
REASON = re.compile(r'Long because \S+ \S+')


def findings_in_code(path, lines):
    for number, line in enumerate(lines, 1):
        if len(line) > LINE:
            yield number, f'{len(line)} characters, and {LINE} is the limit: break the line'
    if len(lines) > FILE and not REASON.search(first_comment(lines)):
        yield 1, (f'{len(lines)} lines, and {FILE} is the limit: split the file, or let its first comment '
                  'say why it is long, in a sentence that begins with "Long because"')


def first_comment(lines):
    """The comment at the head of a file, as one text. Only headers and blank lines may stand before it."""
    text = '\n'.join(lines)
    head = re.match(r'(#!.*\n|\s*\n|#\s*(pragma|include)\b.*\n)*'
                    r'("""(?P<docstring>[^"]*)|(?P<block>([ \t]*(//|#).*\n)+))', text)
    if not head:
        return ''
    return re.sub(r'\s*\n[ \t]*(//|#)?\s*', ' ', head['docstring'] or head['block'])


def findings_in_markdown(lines):
    """A paragraph is one line, and so is an item of a list. Code, tables and headings are no paragraphs."""
    fenced = before = False
    for number, line in enumerate(lines, 1):
        if line.startswith('```'):
            fenced, before = not fenced, False
            continue
        starts = re.match(r'(#|\||    |$|\[[^]]*\]: )', line) is not None or fenced
        if before and not starts and not re.match(r'\s*([*-]|\d+\.) ', line):
            yield number, 'continues the paragraph of the line before: a paragraph is one line'
        before = not starts


def findings(path, text):
    if text and not text.endswith('\n'):
        yield text.count('\n') + 1, 'the last line has no end: add a newline'
    lines = text.split('\n')[:-1] if text.endswith('\n') else text.split('\n')
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, 'white space at the end of the line: delete it'
        if '\t' in line:
            yield number, 'a tab: use spaces'
    if CODE.search(path):
        yield from findings_in_code(path, lines)
    if path.endswith('.md'):
        yield from findings_in_markdown(lines)


def self_test():
    comment = '// What it is.\n// Long because a table has 500 rows.\n'
    right = {'a.cpp': 'x' * LINE + '\n', 'long.cpp': '#pragma once\n' + comment + 'x\n' * FILE,
             'long.py': '#!/usr/bin/env python3\n"""What it is.\n\nLong because a b.\n"""\n' + 'x\n' * FILE,
             'a.md': '# A\nOne paragraph.\n\n* an item\n* another\n\n```\ncode\ncode\n```\n| a |\n| b |\n',
             'b.md': 'Code:\n\n    code\n    code\n'}
    wrong = {'a.cpp': 'x' * (LINE + 1) + '\n', 'long.h': '// What it is.\n' + 'x\n' * FILE, 'dev': 'x \n',
             'b.md': 'x\ty\n', 'late.cpp': 'int x;\n' + comment + 'int y;\n' * FILE, 'a.txt': 'no end',
             'a.md': 'A paragraph\nof two lines.\n', 'c.md': '* an item\n  of two lines\n'}
    for path, text in right.items():
        assert not list(findings(path, text)), (path, list(findings(path, text)))
    for path, text in wrong.items():
        assert len(list(findings(path, text))) == 1, (path, list(findings(path, text)))


def main():
    if sys.argv[1:] == ['--self-test']:
        self_test()
        return 0
    folder = sys.argv[1]
    listing = ['git', '-C', folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    names = subprocess.run(listing, check=True, capture_output=True).stdout.decode().split('\0')
    found = 0
    for name in sorted(set(filter(None, names))):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):  # deleted, and not yet from the index
            continue
        with open(path, 'rb') as file:
            content = file.read()
        if b'\0' in content or re.match(r'docs/reports/.*\.html$', name):  # what `tilewright report` wrote
            continue
        for number, what in findings(name, content.decode()):
            print(f'{name}:{number}: {what}')
            found += 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
