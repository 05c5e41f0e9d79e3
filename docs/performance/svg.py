"""Draws SVG, for the scripts that draw pictures of the documents. The same calls make the same bytes."""
import json
import os
from xml.sax.saxutils import escape

INK, GREY, PALE = '#1f2328', '#8c959f', '#e6eaef'
BLUE, ORANGE, GREEN, RED, PURPLE = '#4c8fd0', '#e8913a', '#4fa567', '#d1495b', '#8e6bbf'


def number(value):
    return f'{value:.1f}'.rstrip('0').rstrip('.')


class Picture:
    """A picture with a white ground of its own, so that it can be read on a dark page too."""

    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, words, size=12, colour=INK, anchor='start', bold=False):
        weight = ' font-weight="bold"' if bold else ''
        end = '' if anchor == 'start' else f' text-anchor="{anchor}"'
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{colour}"{end}'
                          f'{weight}>{escape(str(words))}</text>')

    def rect(self, x, y, width, height, fill='none', stroke=INK, thick=1):
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" fill="{fill}" stroke="{stroke}" '
                          f'stroke-width="{thick}"/>')

    def line(self, x1, y1, x2, y2, colour=INK, thick=1.5):
        self.parts.append(f'<path d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" stroke="{colour}" '
                          f'stroke-width="{thick}" fill="none"/>')

    def svg(self):
        width, height = self.size
        return ''.join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="Helvetica, Arial, sans-serif" role="img">',
            f'<title>{escape(self.title)}</title>',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *self.parts, '</svg>\n'])


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def draw_data(words, data, drawn, draw, take):
    """The program of a picture of the JSON file `data`: draws it, says whether it is what is there
    (`--check`), or takes files first (`--take FILE...`): `take` makes the text of `data` of what it has and
    of their paths. Returns the exit code."""
    def kept():
        with open(data, encoding='utf-8') as file:
            return json.load(file)
    if words[:1] == ['--take']:
        write(data, take(kept(), words[1:]))
    made = draw(kept())
    if words[:1] != ['--check']:
        write(drawn, made)
    elif not os.path.exists(drawn) or open(drawn, encoding='utf-8').read() != made:
        print(f'{drawn}: not what its script makes; run the script')
        return 1
    return 0
