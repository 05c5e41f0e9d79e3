"""What the site has beside the pages of docs/: pages that are made of the program and the headers,
pictures, and links that lead out of docs/.

The environment's TILEWRIGHT_PROGRAM is the command line, and out/ has what `./dev demo` made.
"""
import html
import json
import os
import posixpath
import re
import subprocess
import sys
import zlib

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.dirname(__file__))
import headers  # noqa: E402
import notebook  # noqa: E402

PROGRAM = os.environ.get('TILEWRIGHT_PROGRAM', os.path.join(ROOT, 'build/apps/tilewright/tilewright'))
# Pages outside docs/, and where they are on the site.
OUTSIDE = {'README.md': 'index.md', 'CHANGELOG.md': 'CHANGELOG.md', 'CONTRIBUTING.md': 'CONTRIBUTING.md',
           'examples/python/tour.ipynb': 'tutorials/tour.md'}
# What a picture of an operator shows: its file in out/, and how it was made.
PICTURES = {
    'gaussian_blur': ('blur_6.png', 'gaussian_blur photo.png blur_6.png --sigma 6 --border nearest'),
    'recursive_gaussian': ('recursive_6.png', 'recursive_gaussian photo.png recursive_6.png --sigma 6'),
    'transpose': ('transpose.png', 'transpose photo.png transpose.png'),
    'invert': ('invert.png', 'invert grey.png invert.png'),
    'matmul': ('rank24.png', 'matmul left.npy right.npy rank24.npy'),
    'fft2d': ('spectrum.png', 'fft2d grey.png spectrum.png'),
    'fresnel': ('hologram.png',
                'fresnel grey.png hologram.png --wavelength 532nm --pitch 10um --distance 5cm'),
}
CURVES = {'column_sum': 'column_sum grey.png column_sum.csv', 'row_sum': 'row_sum grey.png row_sum.csv'}


def says(*words):
    return json.loads(subprocess.run([PROGRAM, *words, '--json'], check=True, capture_output=True).stdout)


LISTED = {one['operator']: one for one in says('list')['operators']}
GRAMMAR = says('help')


def cell(text):
    return html.escape(str(text), quote=False).replace('|', '\\|').replace('\n', ' ')


def table(head, rows):
    lines = [head, ['---'] * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in lines)


# ---- generated pages

def commands_page():
    parts = ['# Commands', 'What `--help` of the program and of each command says. '
             'Manual pages and completions of shells are made of the same.']
    for command in GRAMMAR['commands']:
        arguments = [p for p in command['parameters'] if not p['is_option']]
        words = ' '.join(p['names'][0].upper() if p['required'] else f'[{p["names"][0].upper()}]'
                         for p in arguments)
        parts += [f'## {command["name"]}', command['summary'] + '.',
                  f'    tilewright {command["name"]} [OPTIONS] {words}']
        parts.append(table(['', '', ''], [
            [' '.join(f'`{name}`' for name in p['names']), cell(p['value'].lower() if p['value'] else ''),
             cell(p['help'] + (f' (default: {p["default"]})' if p['default'] else ''))]
            for p in command['parameters']]))
        # The environment is the same for all: it is with the program's own notes, at the end.
        notes = re.sub(r'Environment:\n(  .*\n)+', '', command['notes']).strip('\n')
        parts.append('\n'.join('    ' + line for line in notes.split('\n')))
    parts += ['## Environment and exit codes',
              '\n'.join('    ' + line for line in GRAMMAR['notes'].split('\n'))]
    return '\n\n'.join(parts) + '\n'


def python_page():
    parts = ['# Python']
    for heading, names in {
            'Operators': LISTED, 'Pipelines and prepared calls': ['Pipeline', 'prepare', 'Prepared'],
            'Names of SciPy': ['ndimage.gaussian_filter', 'ndimage.gaussian_filter1d'], 'Arrays': ['Array'],
            'Devices': ['devices', 'best_device', 'Device', 'set_num_threads', 'synchronize',
                        'device_time_ms'],
            'Variants, times and checks': ['variants', 'bench', 'verify', 'explain', 'Operator', 'Option',
                                           'Variant']}.items():
        parts += [f'## {heading}', *(f'::: tilewright.{name}' for name in names)]
    return '\n\n'.join(parts) + '\n\n## Errors\n\n[Errors](../python/arrays.md#errors) has a table of them.\n'


def curve(op):
    """The sums of grey.png as a picture: one line across the columns, or down the rows."""
    command = CURVES[op].split()
    path = os.path.join(ROOT, 'out', command[2])
    subprocess.run([PROGRAM, command[0], os.path.join(ROOT, 'out', command[1]), path], check=True)
    with open(path, encoding='utf-8') as file:
        sums = [float(word) for word in file.read().split()]
    points = [(i * 256 / len(sums), 246 - 236 * value / max(sums)) for i, value in enumerate(sums)]
    points = [(256 - y, x) for x, y in points] if op == 'row_sum' else points
    line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 256 256">'
            f'<rect width="256" height="256" fill="#fff"/><polyline points="{line}" fill="none" '
            'stroke="#35679a" stroke-width="2"/></svg>')


def on_files(files, config):
    def add(uri, **content):
        files.append(File.generated(config, uri, **content))
    # The page of docs/reports takes its style and its script from outside of docs/; here they are beside it.
    page, report = files.get_file_from_path('reports/halide_apps.html'), 'apps/laboratory/report/'
    files.remove(page)
    add(page.src_uri, content=page.content_string.replace('../../' + report, ''))
    for name in ('page.css', 'page.js'):
        add(f'reports/{name}', abs_src_path=os.path.join(ROOT, report, name))
    # The plotting library of the small pages of docs/reports, as the build has it (plots.py).
    deflated = os.path.join(os.path.dirname(PROGRAM), '../plots.js.deflated')
    if os.path.exists(deflated):
        with open(deflated, 'rb') as library:
            text = zlib.decompress(library.read()[8:]).decode()
        files.append(File.generated(config, 'reports/plots.js', content=text))

    for path, uri in OUTSIDE.items():
        if not path.endswith('.ipynb'):
            add(uri, abs_src_path=os.path.join(ROOT, path))
            continue
        for made, content in notebook.page(os.path.join(ROOT, path), uri):
            add(made, content=content)
    add('reference/commands.md', content=commands_page())
    add('reference/python.md', content=python_page())
    pages = headers.pages()
    add('reference/cpp.md', content='# C++\n\nThe headers `<tilewright/...>`; each operator has one.\n\n' +
        '\n'.join(f'* [{name}](cpp/{name}.md)' for name in pages) + '\n')
    for name, text in pages.items():
        add(f'reference/cpp/{name}.md', content='---\nsearch: {boost: 0.5}\n---\n' + text)
    for name in ['photo.png', 'grey.png', *(picture for picture, _ in PICTURES.values())]:
        add(f'operators/pictures/{name}', abs_src_path=os.path.join(ROOT, 'out', name))
    for op in CURVES:
        add(f'operators/pictures/{op}.svg', content=curve(op))
    add('iframe-worker.js', abs_src_path=os.path.join(os.path.dirname(__file__), 'iframe-worker.js'))
    add('site.css', content='.md-grid{max-width:72rem} math{font-size:1.1em} '
        '.formula{overflow-x:auto;margin:1em 0} td:first-child code{white-space:nowrap} '
        '.md-typeset .doc-signature pre>code{white-space:pre-wrap} '
        '.md-typeset .grid{grid-template-columns:repeat(auto-fit,minmax(12rem,1fr))}')
    return files


# ---- pages of docs/

def shown(op):
    """The picture of an operator, before and after."""
    if op in PICTURES:
        after, command = PICTURES[op]
        before = 'photo.png' if ' photo.png' in command else 'grey.png'
    elif op in CURVES:
        after, command, before = f'{op}.svg', CURVES[op], 'grey.png'
    else:
        return '![All pairs of elements of two vectors](../steps/pictures/min_plus_pairs.svg)'
    images = f'![before](pictures/{before}){{width=256}} ![{op} of it](pictures/{after}){{width=256}}'
    return f'{images}\n\n    tilewright {command}'


def facts(op):
    """The options and the schedules of an operator, as the program lists them."""
    one = LISTED[op]
    rows = [[f'`--{o["name"]}`', cell(o['help']), cell(o['default']),
             ' '.join(f'`{c}`' for c in o['choices'])]
            for o in one['options']]
    parts = ['## Options', table(['option', 'meaning', 'default', 'words'], rows)] if rows else []
    schedules = {}  # those that the same sentence describes are one line
    for variant in one['variants']:
        known = schedules.setdefault(variant['summary'], {'schedule': {}, 'backend': {}, 'type': {}})
        for word, there in known.items():
            there[variant[word]] = True
    parts += ['## Schedules', table(['schedules', 'how', 'backends', 'types'], [
        ['<br>'.join(f'`{name}`' for name in known['schedule']), cell(summary), ' '.join(known['backend']),
         ' '.join(known['type'])] for summary, known in schedules.items()])]
    parts.append(f'`tilewright list {op} --json` has their tunables and conditions. '
                 f'[Its command](../reference/commands.md#{op}), [its header](../reference/cpp/{op}.h.md).')
    return '\n\n'.join(parts)


def gallery():
    figures = []
    for op, (picture, _) in PICTURES.items():
        figures.append(f'<figure markdown>[![{op}](pictures/{picture})]({op}.md)<figcaption>'
                       f'{op}: {LISTED[op]["summary"]}</figcaption></figure>')
    for op in CURVES:
        figures.append(f'<figure markdown>[![{op}](pictures/{op}.svg)]({op}.md)<figcaption>'
                       f'{op}: {LISTED[op]["summary"]}</figcaption></figure>')
    return '<div class="grid" markdown>\n\n' + '\n\n'.join(figures) + '\n\n</div>\n'


def linked(markdown, uri):
    """Links that lead out of docs/: to pages that are on the site too, or to sources, which are not."""
    from_root = next((path for path, page in OUTSIDE.items() if page == uri), 'docs/' + uri)

    def follow(link):
        text, target, anchor = link[1], *(link[2].split('#') + [''])[:2]
        if re.match(r'[a-z]+:', target) or not target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(from_root), target))
        if path in OUTSIDE:
            page = OUTSIDE[path]
        elif path.startswith('docs/'):
            page = path.removeprefix('docs/')
            if os.path.isdir(os.path.join(ROOT, path)):
                page = posixpath.join(page, 'README.md')
        else:
            return text if '`' in text else f'`{text}`'
        page = posixpath.relpath(page, posixpath.dirname(uri) or '.')
        return f'[{text}]({page}{"#" + anchor if anchor else ""})'

    return re.sub(r'\[([^][]*)\]\(([^)\s]+)\)', follow, markdown)


def formula(found):
    return f'<div class="formula">{convert(found[1], display="block")}</div>'  # scrolls on a narrow page


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if not uri.startswith('reference/'):
        markdown = linked(markdown, uri)
    markdown = re.sub(r'\$\$ (.*?) \$\$', formula, markdown)
    markdown = markdown.replace('```cpp example', '```cpp')
    op = posixpath.splitext(posixpath.basename(uri))[0]
    if uri == 'operators/README.md':
        markdown += '\n' + gallery()
    elif uri.startswith('operators/') and op in LISTED:
        head, rest = markdown.split('\n', 1)
        markdown = f'{head}\n\n{shown(op)}\n{rest}\n{facts(op)}\n'
    return markdown
