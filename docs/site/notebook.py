#!/usr/bin/env python3
"""Runs the cells of a notebook without Jupyter: notebook.py NOTEBOOK writes what they give into it, and
notebook.py NOTEBOOK --check holds the pictures in it against those of this run. A grey may differ by 1,
because results of floats have the rounding of the device that computes them.

A notebook is JSON. What a cell prints is kept as text; the last expression of a cell is kept as a picture
where it has one (_repr_png_), or else as its repr.
"""
import ast
import base64
import contextlib
import io
import json
import sys


def outputs_of(source, names, number):
    """What a cell gives, as a notebook keeps it."""
    tree, printed, outputs = ast.parse(source), io.StringIO(), []
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    where = f'cell {number}'
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, 'exec'), names)
        value = eval(compile(ast.Expression(last.value), where, 'eval'), names) if last else None
    if printed.getvalue():
        outputs.append({'name': 'stdout', 'output_type': 'stream',
                        'text': printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        picture = getattr(value, '_repr_png_', lambda: None)()
        data = {'image/png': base64.b64encode(picture).decode() + '\n'} if picture else {}
        text = 'a picture' if picture else repr(value)
        outputs.append({'data': {**data, 'text/plain': text.splitlines(keepends=True)},
                        'execution_count': number, 'metadata': {}, 'output_type': 'execute_result'})
    return outputs


def run(notebook):
    """The same notebook with what its cells give now."""
    names, cells, number = {'__name__': '__main__'}, [], 0
    for cell in notebook['cells']:
        if cell['cell_type'] == 'code':
            number += 1
            cell = {**cell, 'execution_count': number,
                    'outputs': outputs_of(''.join(cell['source']), names, number)}
        cells.append(cell)
    return {**notebook, 'cells': cells}


def pictures(notebook):
    return [base64.b64decode(output['data']['image/png']) for cell in notebook['cells']
            for output in cell.get('outputs', []) if 'image/png' in output.get('data', {})]


def differ(picture, other):
    from PIL import Image, ImageChops
    with Image.open(io.BytesIO(picture)) as one, Image.open(io.BytesIO(other)) as two:
        alike = one.mode == two.mode and one.size == two.size
        return not alike or ImageChops.difference(one, two).getextrema()[1] > 1


def page(path, uri):
    """The notebook as a page of the site, and its pictures: [(address, content)]."""
    with open(path, encoding='utf-8') as file:
        notebook = json.load(file)
    parts, files = [], []
    for cell in notebook['cells']:
        source = ''.join(cell['source'])
        parts.append(f'```python\n{source}\n```' if cell['cell_type'] == 'code' else source)
        for output in cell.get('outputs', []):
            data = output.get('data', {})
            if 'image/png' in data:
                name = f'{uri.rsplit("/", 1)[-1].removesuffix(".md")}_{len(files) + 1}.png'
                files.append((f'{uri.rsplit("/", 1)[0]}/{name}', base64.b64decode(data['image/png'])))
                parts.append(f'![what the cell shows]({name})')
            else:
                text = ''.join(output.get('text') or data['text/plain'])
                parts.append('\n'.join('    ' + line for line in text.splitlines()))
    return [(uri, '\n\n'.join(parts) + '\n'), *files]


def main(path, *words):
    with open(path, encoding='utf-8') as file:
        kept = json.load(file)
    made = run(kept)
    if '--check' not in words:
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(made, file, indent=1, ensure_ascii=False)
            file.write('\n')
        return 0
    of_kept, of_made = pictures(kept), pictures(made)
    if not of_made or len(of_kept) != len(of_made) or any(map(differ, of_kept, of_made)):
        print(f'{path}: its pictures are not those that its cells make; run docs/site/notebook.py {path}')
        return 1
    print(f'{len(of_made)} pictures are as they should be')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
