#!/usr/bin/env python3
"""Draws errors.svg: the largest error of every operator by the size of its data, from errors.json.

Usage: errors.py                 writes errors.svg
       errors.py --check         says whether it is what this script makes; exits with 1 if not
       errors.py --take FILE...  puts what devices gave in errors.json first. FILE is a file of
                                 `tilewright verify --schedule tuned --random 60 --side 1024
                                 --largest 67108864 --repeat 1 --json`, of one device, or of --peers
       errors.py --peers         prints the errors of the FFTs of others that this machine has
"""
import importlib.util
import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'performance'))
from svg import BLUE, GREEN, GREY, INK, ORANGE, PALE, PURPLE, RED, Picture, draw_data  # noqa: E402

WIDTH, PANEL, LEFT, COLUMNS = 640, 184, 52, 2


def peers():
    """The same of the fft2 of NumPy, SciPy (both pocketfft) and, with a GPU and CuPy, cuFFT, of complex64;
    sides as verify has them."""
    import numpy
    import scipy.fft
    ffts = {f'SciPy {scipy.__version__}': scipy.fft.fft2, f'NumPy {numpy.__version__}': numpy.fft.fft2}
    if importlib.util.find_spec('cupy'):
        import cupy
        major, minor = divmod(cupy.cuda.cufft.getVersion(), 1000)
        ffts[f'cuFFT {major}.{minor // 100}'] = lambda field: cupy.fft.fft2(cupy.asarray(field)).get()
    for name, fft2 in ffts.items():
        chance, errors = numpy.random.default_rng(0), {}
        sides = [*(2 ** chance.uniform(0, 10, (60, 2))).astype(int),
                 *([2 ** k, 2 ** k] for k in range(1, 11))]
        for height, width in sides:
            parts = chance.uniform(-1, 1, (height, width, 2)).astype(numpy.float32)
            field = parts.view(numpy.complex64)[..., 0]
            right = numpy.fft.fft2(field.astype(numpy.complex128)).view(numpy.float64)
            off = numpy.abs(fft2(field).view(numpy.float32) - right).max() / numpy.abs(right).max()
            k = int(math.log2(height * width))
            errors[k] = max(errors.get(k, 0), float(off))
        yield {'of': name, 'operator': 'fft2d', 'type': 'c64', 'points': points(errors)}


def points(errors):
    return [[k, float(f'{error:.2e}')] for k, error in sorted(errors.items()) if error]


def taken(before, paths):
    """The lines of all devices: of each operator and type the largest error of its variants of `tuned`; lines
    of other libraries stay where no file of --peers is given."""
    lines, origins, others = {}, {}, [line for line in before['lines'] if ' ' in line['of']]
    for path in paths:
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
        if 'peers' in report:
            others = report['peers']
            continue
        context = report['context']
        for variant in report['variants']:
            if variant['family'] != 'tuned' or not variant.get('errors'):
                continue
            device = variant['device'].split(':')[0]
            origins[device] = next(d['name'] for d in context['devices'] if d['device'] == variant['device'])
            line = lines.setdefault((variant['operator'], variant['type'], device), {})
            for k, error in variant['errors']:
                line[k] = max(line.get(k, 0), error)
    all_lines = [{'of': device, 'operator': operator, 'type': kind, 'points': points(errors)}
                 for (operator, kind, device), errors in sorted(lines.items()) if any(errors.values())]
    data = {'date': context['date'][:10], 'commit': context['commit'], 'devices': origins,
            'lines': [*all_lines, *others]}
    return json.dumps(data).replace(' {"of"', '\n{"of"') + '\n'


def panel(p, x, y, operator, lines, colours):
    """One operator: log2 of the numbers across, log10 of the error up."""
    right, bottom = x + WIDTH / COLUMNS - 24, y + PANEL - 50
    numbers = [point for line in lines for point in line['points']]
    last = max(k for k, _ in numbers)
    low, high = (round_(math.log10(end(error for _, error in numbers)))
                 for round_, end in ((math.floor, min), (math.ceil, max)))
    at = [lambda k: x + LEFT + (right - x - LEFT - 30) * k / last,
          lambda error: bottom - (bottom - y - 24) * (math.log10(error) - low) / (high - low)]
    p.text(x + LEFT, y + 12, operator, 13, bold=True)
    for power in range(low, high + 1, max(1, (high - low) // 4)):
        p.line(x + LEFT, at[1](10 ** power), right - 30, at[1](10 ** power), PALE, 1)
        p.text(x + LEFT - 6, at[1](10 ** power) + 4, f'1e{power}', 10, GREY, 'end')
    for k in range(0, last + 1, 4):
        p.text(at[0](k), bottom + 15, f'2^{k}', 10, GREY, 'middle')
    for kind in dict.fromkeys(line['type'] for line in lines):
        of_kind = [line for line in lines if line['type'] == kind]
        for line in of_kind:
            path = 'L'.join(f'{at[0](k):.1f} {at[1](error):.1f}' for k, error in line['points'])
            p.parts.append(f'<path d="M{path}" stroke="{colours[line["of"]]}" stroke-width="1.5" '
                           'fill="none"/>')
        p.text(right - 26, at[1](of_kind[0]['points'][-1][1]) + 4, kind, 10, INK)


def draw(data):
    operators = {}
    for line in data['lines']:
        twice = f' of {line["type"]}' if line['type'] in ('f64', 'c128') else ''  # a scale of their own
        operators.setdefault(line['operator'] + twice, []).append(line)
    colours = dict(zip(dict.fromkeys(line['of'] for line in data['lines']),
                       (BLUE, RED, ORANGE, GREEN, PURPLE, GREY)))
    rows = math.ceil(len(operators) / COLUMNS)
    p = Picture(WIDTH, 84 + rows * PANEL, 'Errors by the size of the data')
    p.text(20, 26, 'Largest error by the size of the data', 17, bold=True)
    p.text(20, 45, 'Across: numbers of the inputs. Up: the largest difference from the plain definition, '
                   'divided by the largest result.', 11, GREY)
    for i, (of, colour) in enumerate(colours.items()):
        p.line(20 + 101 * i, 60, 36 + 101 * i, 60, colour, 3)
        p.text(40 + 101 * i, 64, {'cpu': 'CPU', 'cuda': 'CUDA', 'opencl': 'OpenCL'}.get(of, of), 12)
    for i, (operator, lines) in enumerate(sorted(operators.items())):
        panel(p, i % COLUMNS * WIDTH / COLUMNS, 76 + i // COLUMNS * PANEL, operator, lines, colours)
    return p.svg()


if __name__ == '__main__':
    if sys.argv[1:] == ['--peers']:
        print(json.dumps({'peers': list(peers())}))
        sys.exit(0)
    sys.exit(draw_data(sys.argv[1:], f'{HERE}/errors.json', f'{HERE}/errors.svg', draw, taken))
