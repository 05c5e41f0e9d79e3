#!/usr/bin/env python3
"""The C++ reference: a page of Markdown per public header, made of its comments and declarations.

headers.py FOLDER            writes the pages there
headers.py --check           prints each public symbol that no comment describes; exits with 1 if there is one
headers.py --self-test       checks that --check finds what it is for

In our headers a comment describes all declarations up to the next blank line, and a comment behind a
declaration describes that one. A class's own comment may describe members by their names.
"""
import glob
import os
import re
import sys

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../runtime/include/tilewright')
TYPE = re.compile(
    r'\s*(?:template<[^{};]*?>\s*)?(class|struct|enum class|enum|namespace)\s+'
    r'(\w+)[^;(]*\{\s*$', re.S)
# What needs no comment: what every type has, and types that are declared and not defined.
SELF_EVIDENT = re.compile(
    r'= (default|delete);|\bfriend\b|^\s*~|operator=|^\s*(class|struct|enum class) \w+;')


class Block:
    """Declarations without a blank line between them, and the comment before them."""
    def __init__(self, comment):
        self.comment, self.declarations = comment, []


class Declaration:
    def __init__(self, text, remark):
        self.text, self.remark, self.blocks = text, remark, None  # blocks: of a type's body
        found = TYPE.match(text)
        self.kind, self.name = found.groups() if found else (None, None)
        if not found:
            head = re.sub(r'<[^<>]*>', '', re.sub(r'<[^<>]*>', '', text))
            named = (re.search(r'\(\*(\w+)\)', head) or re.search(r'^[^=]*?(operator\W+?|\w+)\s*\(', head) or
                     re.search(r'(\w+)\s*(\[.*?\])?\s*(=.*|\{.*)?;', head, re.S))
            self.name = named[1].strip() if named else head.strip()


def code_of(line):
    """The line without its comment and its strings, and the comment."""
    found = re.match(r'((?:"(?:\\.|[^"])*"|\'(?:\\.|[^\'])\'|(?!//).)*)(?://\s?(.*))?$', line)
    return re.sub(r'"(?:\\.|[^"])*"', '""', found[1]), found[2] or '', found[1]


def blocks_of(lines, public=True):
    """The public blocks of a header or of a type's body."""
    blocks, comment, block, at = [], [], None, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        code, remark, text = code_of(line)
        if not line.strip():
            block, comment = None, []
        elif re.match(r'\s*(public|private|protected):', code):
            public, block = code.strip() == 'public:', None
        elif code.strip().startswith('#'):
            comment = []
        elif not code.strip():
            if block is not None:
                block, comment = None, []
            comment.append(re.sub(r'^\s*// ?', '', line))
        else:
            text, remarks, depth = text.rstrip(), [remark] if remark else [], 0
            depth += code.count('{') + code.count('(') - code.count('}') - code.count(')')
            body_from = at if TYPE.match(code + '\n') and depth == 1 else None
            while (depth > 0 or not re.search(r'[;}]\s*$', code)) and at < len(lines):
                code, remark, more = code_of(lines[at])
                at += 1
                if body_from is None and TYPE.match(text + '\n' + code) and depth + code.count('{') == 1:
                    body_from = at
                depth += code.count('{') + code.count('(') - code.count('}') - code.count(')')
                if body_from is None or at <= body_from:
                    text += '\n' + more.rstrip()
                    remarks += [remark] if remark else []
            one = Declaration(text + ('\n' if body_from else ''), ' '.join(remarks))
            if one.kind == 'namespace':
                blocks += blocks_of(lines[body_from:at - 1])
                block, comment = None, []
                continue
            if body_from:
                one.body = lines[body_from:at - 1]
                one.blocks = [] if 'enum' in one.kind else blocks_of(one.body, one.kind == 'struct')
            if public:
                if block is None:
                    block = Block(comment)
                    blocks.append(block)
                block.declarations.append(one)
            comment = []
    return blocks


def undocumented(blocks, about=''):
    """The names of public symbols that neither a comment nor the text `about` describes."""
    for block in blocks:
        for one in block.declarations:
            text = '\n'.join(block.comment)
            if not (text or one.remark or SELF_EVIDENT.search(one.text) or
                    re.search(rf'\b{re.escape(one.name)}\b', about)):
                yield one.name
            if one.blocks:
                for name in undocumented(one.blocks, about + text + one.remark):
                    yield f'{one.name}::{name}'


def without_body(text):
    """A function's declaration: what it does is not part of the reference."""
    found = re.match(r'(.*\)[^{};=]*?)\s*(:[^:{][^{]*)?\{.*\}\s*$', text, re.S)
    return found[1].rstrip() + ';' if found else text


def prose(comment):
    """A comment as Markdown: indented lines are code."""
    lines = []
    for line in comment:
        is_code = line.startswith('    ')
        if is_code and lines and lines[-1] and not lines[-1].startswith('    '):
            lines.append('')
        if not is_code and lines and lines[-1].startswith('    '):
            lines.append('')
        lines.append(line if is_code else
                     re.sub(r'(`[^`]*`)|([*|<\\])', lambda m: m[1] or '\\' + m[2], line))
    return '\n'.join(lines)


def rendered(blocks, level):
    parts = []
    for block in blocks:
        plain = [one for one in block.declarations if not one.blocks]
        for one in [one for one in block.declarations if one.blocks]:
            parts += [f'{"#" * level} {one.kind} {one.name}', prose(block.comment)]
            parts += [rendered(one.blocks, level + 1)]
        if plain:
            names = list(dict.fromkeys(one.name for one in plain))
            code = []
            for one in plain:
                body = getattr(one, 'body', None)
                text = one.text + ('\n'.join(body) + '\n};' if body else '')
                indent = len(text) - len(text.lstrip())
                lines = without_body(text).split('\n')
                text = '\n'.join(line[indent:] if line[:indent].isspace() else line for line in lines)
                code.append(text + (f'  // {one.remark}' if one.remark and not body else ''))
            parts += [f'{"#" * level} {", ".join(names[:4])}', '```cpp\n' + '\n'.join(code) + '\n```']
            parts += [prose(block.comment)]
    return '\n\n'.join(filter(None, parts))


def page(name, text):
    # What the whole header is about is said at its head, or before the namespace.
    found = (re.match(r'#pragma once\n((?://.*\n)+)', text) or
             re.search(r'^((?://.*\n)+)namespace ', text, re.M))
    head = [re.sub(r'^// ?', '', line) for line in found[1].split('\n')] if found else []
    body = rendered(blocks_of(text.split('\n')), 2)
    return f'# {name}\n\n`#include <tilewright/{name}>`\n\n{prose(head)}\n\n{body}\n'


def headers():
    for path in sorted(glob.glob(os.path.join(HEADERS, '*.h'))):
        with open(path, encoding='utf-8') as file:
            yield os.path.basename(path), file.read()


def pages():
    return {name: page(name, text) for name, text in headers()}


def self_test():
    text = ('#pragma once\n\nnamespace a {\n\n// Describes both.\nint f();\nint g();\n\nint h();\n\n'
            '// Has width and height.\nstruct S {\n    int width, height = 3;\n    int depth;  // in pixels\n'
            '\n    int lost = 1;\n    S(const S &) = delete;\n};\n\nclass C {\n    int hidden;\n\npublic:\n'
            '    void seen() {\n        hidden = 1;\n    }\n};\n\nenum class E { one, two };\n\n}\n')
    found = list(undocumented(blocks_of(text.split('\n'))))
    assert found == ['h', 'S::lost', 'C', 'C::seen', 'E'], found
    assert 'void seen();' in page('x.h', text) and 'hidden' not in page('x.h', text), page('x.h', text)


def main():
    if sys.argv[1] == '--self-test':
        self_test()
        return 0
    if sys.argv[1] == '--check':
        found = [f'{name}: {symbol}' for name, text in headers()
                 for symbol in undocumented(blocks_of(text.split('\n')))]
        print(*found, sep='\n', end='\n' if found else '')
        return 1 if found else 0
    for name, text in pages().items():
        with open(os.path.join(sys.argv[1], name + '.md'), 'w', encoding='utf-8') as file:
            file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
