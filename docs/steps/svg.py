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
        self.colours = []  # of the heads of arrows

    def text(self, x, y, words, size=12, colour=INK, anchor='start', bold=False):
        weight = ' font-weight="bold"' if bold else ''
        end = '' if anchor == 'start' else f' text-anchor="{anchor}"'
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{colour}"{end}'
                          f'{weight}>{escape(str(words))}</text>')

    def lines(self, x, y, all_words, size=12, colour=INK):
        """Lines of text below each other."""
        for i, words in enumerate(all_words):
            self.text(x, y + i * (size + 4), words, size, colour)

    def rect(self, x, y, width, height, fill='none', stroke=INK, thick=1):
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" fill="{fill}" stroke="{stroke}" '
                          f'stroke-width="{thick}"/>')

    def line(self, x1, y1, x2, y2, colour=INK, thick=1.5, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ''
        self.parts.append(f'<path d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" stroke="{colour}" '
                          f'stroke-width="{thick}" fill="none"{dash}/>')

    def arrow(self, x1, y1, x2, y2, colour=INK, thick=1.5):
        if colour not in self.colours:
            self.colours.append(colour)
        self.parts.append(f'<path d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" stroke="{colour}" '
                          f'stroke-width="{thick}" fill="none" '
                          f'marker-end="url(#head{self.colours.index(colour)})"/>')

    def grid(self, x, y, columns, rows, cell, fill=lambda column, row: None, lines=PALE):
        """Square cells; `fill` says the colour of a cell, or None. The cells of a colour are one path."""
        self.rect(x, y, columns * cell, rows * cell, 'white', 'none')
        cells = {}
        for row in range(rows):
            for column in range(columns):
                colour = fill(column, row)
                if colour:
                    cells.setdefault(colour, []).append(
                        f'M{number(x + column * cell)} {number(y + row * cell)}h{cell}v{cell}h-{cell}z')
        for colour, paths in cells.items():
            self.parts.append(f'<path fill="{colour}" d="{"".join(paths)}"/>')
        inner = [f'M{number(x + i * cell)} {number(y)}v{rows * cell}' for i in range(1, columns)]
        inner += [f'M{number(x)} {number(y + i * cell)}h{columns * cell}' for i in range(1, rows)]
        self.parts.append(f'<path stroke="{lines}" fill="none" d="{"".join(inner)}"/>')
        self.rect(x, y, columns * cell, rows * cell)

    def svg(self):
        width, height = self.size
        heads = ''.join(
            f'<marker id="head{i}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
            for i, colour in enumerate(self.colours))
        return '\n'.join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="Helvetica, Arial, sans-serif" role="img">',
            f'<title>{escape(self.title)}</title>',
            f'<defs>{heads}</defs>' if heads else '',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *self.parts, '</svg>', '']).replace('\n\n', '\n')


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def write_or_check(made, check):
    """Writes the texts of `made` to their paths, or says which files have others. Returns the exit code."""
    stale = 0
    for path, text in made.items():
        if not check:
            write(path, text)
        elif not os.path.exists(path) or open(path, encoding='utf-8').read() != text:
            print(f'{path}: not what its script makes; run the script')
            stale = 1
    return stale


def draw_data(words, data, drawn, draw, take):
    """The program of a picture of the JSON file `data`: draws it, says whether it is what is there
    (`--check`), or takes files first (`--take FILE...`): `take` makes the text of `data` of what it has and
    of their paths. Returns the exit code."""
    def kept():
        with open(data, encoding='utf-8') as file:
            return json.load(file)
    if words[:1] == ['--take']:
        write(data, take(kept(), words[1:]))
    return write_or_check({drawn: draw(kept())}, words[:1] == ['--check'])
