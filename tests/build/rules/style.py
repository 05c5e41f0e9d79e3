#!/usr/bin/env python3
"""Holds the habits that need no tool: line length, file length, white space, paragraphs and links of
Markdown, and that what tutorials quote of examples is there.

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


def findings_in_public_headers(lines):
    # cmake/shared.cmake says why.
    if '#pragma GCC visibility push(default)' not in lines or lines[-1] != '#pragma GCC visibility pop':
        yield 1, ('libtilewright.so would not export what it declares: write `#pragma GCC visibility '
                  'push(default)` after the includes, and `#pragma GCC visibility pop` as the last line')


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


def anchors(text):
    """The headings of a page, as links name them (GitHub's rule)."""
    headings = re.findall(r'^#+ +(.*)$', re.sub(r'^```.*?^```', '', text, flags=re.M | re.S), re.M)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).strip().replace(' ', '-') for heading in headings}


def broken_links(path, text, texts):
    """Links to files and headings that are not there. `texts` has the text of each file by its path."""
    for number, line in enumerate(text.split('\n'), 1):
        for link in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`]*`', '', line)):
            if re.match(r'[a-z]+:', link):
                continue
            name, _, anchor = link.partition('#')
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if to not in texts and not any(other.startswith(to + '/') for other in texts):
                yield number, f'a link to {link}, and there is no such file'
            elif anchor and anchor not in anchors(texts.get(to, '')):
                yield number, f'a link to {link}, and the page has no such heading'


def wrong_quotes(path, text, texts):
    """What a tutorial quotes of examples/, in blocks of `cmake` and `cpp example`, and is not there."""
    if not path.startswith('docs/tutorials/'):
        return
    examples = [texts[name] for name in texts if name.startswith('examples/')]
    for block in re.finditer(r'^```(?:cmake|cpp example)\n(.*?\n)```$', text, re.M | re.S):
        if not any(block[1] in example for example in examples):
            yield text.count('\n', 0, block.start()) + 1, 'quotes lines that are in no file of examples/'


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
    if re.match(r'runtime/include/.*\.h$', path):
        yield from findings_in_public_headers(lines)
    if path.endswith('.md'):
        yield from findings_in_markdown(lines)


def self_test():
    comment = '// What it is.\n// Long because a table has 500 rows.\n'
    right = {'a.cpp': 'x' * LINE + '\n', 'long.cpp': '#pragma once\n' + comment + 'x\n' * FILE,
             'long.py': '#!/usr/bin/env python3\n"""What it is.\n\nLong because a b.\n"""\n' + 'x\n' * FILE,
             'a.md': '# A\nOne paragraph.\n\n* an item\n* another\n\n```\ncode\ncode\n```\n| a |\n| b |\n',
             'b.md': 'Code:\n\n    code\n    code\n', 'runtime/include/a.h':
             '#pragma GCC visibility push(default)\nint a();\n#pragma GCC visibility pop\n'}
    wrong = {'a.cpp': 'x' * (LINE + 1) + '\n', 'long.h': '// What it is.\n' + 'x\n' * FILE, 'dev': 'x \n',
             'b.md': 'x\ty\n', 'late.cpp': 'int x;\n' + comment + 'int y;\n' * FILE, 'a.txt': 'no end',
             'a.md': 'A paragraph\nof two lines.\n', 'c.md': '* an item\n  of two lines\n',
             'runtime/include/a.h': 'int a();\n'}
    for path, text in right.items():
        assert not list(findings(path, text)), (path, list(findings(path, text)))
    for path, text in wrong.items():
        assert len(list(findings(path, text))) == 1, (path, list(findings(path, text)))
    pages = {'a.md': '# One `thread` or two\n', 'docs/b.md': '', 'docs/c/d.md': ''}
    for link in ('a.md', 'docs/c/', 'docs/b.md', 'a.md#one-thread-or-two', 'https://x.org/y#z'):
        assert not list(broken_links('e.md', f'A [link]({link}).', pages)), link
    for link in ('c.md', 'a.md#two', '#one', '../a.md'):
        assert list(broken_links('e.md', f'A [link]({link}).', {**pages, 'e.md': ''})), link
    quote = 'docs/tutorials/a.md', '# A\n\n```cmake\nproject(a)\n```\n'
    assert not list(wrong_quotes(*quote, {'examples/a/CMakeLists.txt': 'x()\nproject(a)\n'}))
    assert list(wrong_quotes(*quote, {'examples/a/CMakeLists.txt': 'x()\nproject(ab)\n'}))
    assert not list(broken_links('docs/b.md', '`[not](a-link)` and [one](../a.md).', pages))


def main():
    if sys.argv[1:] == ['--self-test']:
        self_test()
        return 0
    folder = sys.argv[1]
    listing = ['git', '-C', folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    names = subprocess.run(listing, check=True, capture_output=True).stdout.decode().split('\0')
    texts = {}
    found = 0
    for name in sorted(set(filter(None, names))):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):  # deleted, and not yet from the index
            continue
        with open(path, 'rb') as file:
            content = file.read()
        texts[name] = ''
        if b'\0' in content or re.match(r'docs/reports/.*\.html$', name):  # what `tilewright report` wrote
            continue
        texts[name] = content.decode()
        for number, what in findings(name, texts[name]):
            print(f'{name}:{number}: {what}')
            found += 1
    for name in filter(lambda name: name.endswith('.md'), texts):
        for rule in (broken_links, wrong_quotes):
            for number, what in rule(name, texts[name], texts):
                print(f'{name}:{number}: {what}')
                found += 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
