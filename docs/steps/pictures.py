#!/usr/bin/env python3
"""Draws the pictures of the pages in this folder; light_spot.png is what the command of light.md writes.

Usage: pictures.py           writes the pictures to pictures/
       pictures.py --check   says whether the files there are what this script makes; exits with 1 if not
"""
import os
import sys

from svg import BLUE, GREEN, GREY, INK, ORANGE, PALE, PURPLE, RED, Picture, write_or_check

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pictures')


def transpose_direct():
    p = Picture(720, 270, 'Coalesced reads and strided writes of a transpose')
    cell, top = 18, 70

    def side(x, heading, axis, fill, notes):
        p.text(x, 26, heading, 15, bold=True)
        p.text(x, 46, axis, 12, GREY)
        p.grid(x, top, 8, 8, cell, fill)
        p.lines(x, top + 8 * cell + 22, notes)

    side(30, 'Reading the input', 'memory goes along the rows',
         lambda x, y: BLUE if y == 2 else None,
         ['8 threads read 8 neighbouring pixels: one line', 'of memory, all of it is used (coalesced)'])
    side(420, 'Writing the output', 'memory goes along the rows',
         lambda x, y: ORANGE if x == 2 else PALE if 2 <= x < 6 else None,
         ['the same 8 threads write to 8 rows: 8 lines of', 'memory, one pixel of each is used (strided)'])
    for i in range(8):
        p.text(30 + i * cell + cell / 2, top + 2 * cell + 13, i, 11, 'white', 'middle')
        p.text(420 + 2 * cell + cell / 2, top + i * cell + 13, i, 11, 'white', 'middle')
    p.arrow(195, top + 72, 400, top + 72, INK)
    p.text(297, top + 62, 'out(y, x) = in(x, y)', 12, INK, 'middle')
    p.text(297, top + 92, 'numbers are threads of a warp', 11, GREY, 'middle')
    p.text(580, top + 60, 'pale: moved with the', 11, GREY)
    p.text(580, top + 75, 'pixel, but not used', 11, GREY)
    return p


def bank_tile(p, x, heading, pitch, bank, notes):
    """A tile of 16 columns with the banks of columns 0 and 1. `bank` takes a column and a row."""
    cell, top, rows = 15, 80, 16
    seen = [bank(0, row) for row in range(rows)]
    p.text(x, 28, heading, 14, bold=True)
    p.text(x, 48, f'a row takes {pitch} elements', 12, GREY)

    def fill(column, row):
        if column >= 16:
            return PALE
        if column > 1:
            return None
        return RED if seen.count(seen[row]) > 1 else GREEN

    p.grid(x, top, pitch, rows, cell, fill)
    for row in range(rows):
        for column in range(2):
            p.text(x + column * cell + cell / 2, top + row * cell + 11, bank(column, row), 9, 'white',
                   'middle')
    p.lines(x, top + rows * cell + 20, notes)


def transpose_banks():
    p = Picture(960, 395, 'The banks of a tile of f32 in shared memory, 16 elements wide')
    for x, heading, pitch, notes in [
            (20, 'f32, no padding', 16,
             ['column 0 lies in 2 of the 32 banks:', '8 threads wait for the same bank', '(8-way conflict)']),
            (320, 'f32, padded by 4', 20,
             ['column 0 lies in 8 banks:', '2 threads wait for the same bank', '(2-way conflict)']),
            (680, 'f32, padded by 1', 17,
             ['column 0 lies in 16 banks; a warp reads', 'columns 0 and 1, and one pair of its',
              'threads shares a bank (0)'])]:
        bank_tile(p, x, heading, pitch, lambda column, row, w=pitch: (row * w + column) % 32, notes)
    p.text(20, 68, 'number: the bank of the element', 11, GREY)
    return p


def transpose_banks_bytes():
    p = Picture(690, 395, 'The banks of a tile of bytes in shared memory, 16 elements wide')
    for x, heading, pitch, notes in [
            (20, 'u8, no padding', 16,
             ['column 0 lies in 8 of the 32 banks:', '2 threads wait for the same bank', '(2-way conflict)']),
            (340, 'u8, padded by 4', 20,
             ['column 0 lies in 16 banks:', 'no thread waits for another one', '(no conflict)'])]:
        bank_tile(p, x, heading, pitch, lambda column, row, w=pitch: (row * w + column) // 4 % 32, notes)
    p.text(20, 68, 'number: the bank of the byte; 4 bytes that follow each other share one', 11, GREY)
    return p


def transpose_diagonal():
    p = Picture(720, 345, 'Blocks that run together, in rows and along the diagonal')
    cell, top = 32, 80
    stripes = ['#eef3f9', '#dfe8f2']
    for x, heading, is_first, notes in [
            (30, 'Blocks in their usual order', lambda c, r: c == 0,
             ['the 6 blocks of the first row of the input',
              'write to the same partition of the memory,', 'one after the other']),
            (390, 'Blocks along the diagonal', lambda c, r: c == r,
             ['by = (by + bx) mod 6: the 6 blocks that', 'run together write to 6 partitions',
              'at the same time'])]:
        p.text(x, 28, heading, 15, bold=True)
        p.text(x, 48, 'tiles of the output; stripe: partition of the memory', 11, GREY)
        p.grid(x, top, 6, 6, cell,
               lambda c, r, first=is_first: ORANGE if first(c, r) else stripes[c % 2], GREY)
        for i in range(6):
            p.text(x + i * cell + 16, top - 6, i, 11, GREY, 'middle')
            column = 0 if x == 30 else i
            p.text(x + column * cell + 16, top + i * cell + 20, i, 12, 'white', 'middle', True)
        p.lines(x, top + 6 * cell + 22, notes)
    p.text(235, top + 90, 'number: bx of', 11, GREY)
    p.text(235, top + 105, 'the block', 11, GREY)
    return p


def loads_in_flight():
    p = Picture(760, 330, 'A column of 32 pixels, with 4, 8 and 16 loads in flight')
    p.text(20, 24, 'One thread walks down 32 rows', 15, bold=True)
    p.text(20, 44, 'a line is a load on its way; after the wait the thread adds what has come', 12, GREY)
    wait = 66
    for row, (loads, colour) in enumerate([(4, RED), (8, ORANGE), (16, GREEN)]):
        top = 72 + row * 82
        turns = 32 // loads
        p.text(20, top + 22, f'{loads} in flight', 13, bold=True)
        p.text(20, top + 40, f'{turns} waits', 12)
        for turn in range(turns):
            x = 120 + turn * (wait + 10)
            for load in range(loads):
                y = top + load * 56 / loads
                p.line(x, y, x + wait, y, colour, 2)
            p.line(x + wait + 5, top - 2, x + wait + 5, top + 56, INK, 2)
    p.text(20, 320, 'how many bytes a load brings, and how many threads do the same, changes '
           'nothing here', 11, GREY)
    return p


def row_sum():
    p = Picture(760, 330, 'Row sums by pieces of rows and by whole blocks')
    cell, top = 16, 80
    p.text(20, 28, 'One thread per 128 pixels of a row', 15, bold=True)
    p.text(20, 48, 'the threads of a warp have different rows', 12, GREY)
    p.grid(20, top, 16, 8, cell, lambda x, y: ORANGE if x == 0 else PALE if x < 8 else None)
    for i in range(8):
        p.text(20 + cell / 2, top + i * cell + 12, i, 11, 'white', 'middle')
        p.arrow(38, top + i * cell + 8, 138, top + i * cell + 8, ORANGE, 1)
    p.lines(20, top + 8 * cell + 24,
            ['one load of these threads takes 8 lines of memory;',
             'at the end of its piece each thread adds its sum', 'to that of the row, by an atomic addition'])
    p.text(400, 28, 'One block per row', 15, bold=True)
    p.text(400, 48, 'the threads of a block stride along the row together', 12, GREY)
    p.grid(400, top, 16, 1, cell, lambda x, y: BLUE if x < 8 else PALE)
    for i in range(8):
        p.text(400 + i * cell + cell / 2, top + 12, i, 11, 'white', 'middle')
    p.arrow(400 + 64, top + 24, 400 + 190, top + 24, BLUE, 1)
    p.text(400, top + 52, 'then a tree in shared memory:', 12)
    for level, count in enumerate([8, 4, 2, 1]):
        y = top + 66 + level * 34
        p.grid(400, y, count, 1, cell, lambda x, y: GREEN)
        for i in range(count // 2):
            p.line(400 + i * cell + 8, y + 16, 400 + i * cell + 8, y + 34, GREY)
            p.line(400 + (i + count // 2) * cell + 8, y + 16, 400 + i * cell + 8, y + 34, GREY)
        p.text(545, y + 12, ['partial sums', 'barrier, half of the threads', 'barrier, a quarter of them',
                             'the sum of the row'][level], 11, GREY)
    return p


def matmul_reads():
    p = Picture(760, 420, 'What a thread of a matrix product reads, and what a block reads as tiles')
    cell, n = 10, 12

    def matrices(x, a, b, c):
        p.text(x + 4, 222, 'A', 13, bold=True)
        p.text(x + 150, 68, 'B', 13, bold=True)
        p.text(x + 150, 222, 'C', 13, bold=True)
        p.grid(x, 230, n, n, cell, a)
        p.grid(x + 146, 76, n, n, cell, b)
        p.grid(x + 146, 230, n, n, cell, c)

    p.text(20, 28, 'direct: straight from global memory', 15, bold=True)
    matrices(20, lambda x, y: BLUE if y == 5 else None, lambda x, y: ORANGE if x == 6 else None,
             lambda x, y: GREEN if (x, y) == (6, 5) else None)
    p.lines(20, 374,
            ['one element of C: a whole row of A and a whole',
             'column of B. All threads of the row of C read', 'the same row of A again.'])
    p.text(400, 28, 'shared: tiles in shared memory', 15, bold=True)

    def tile_a(x, y):
        return BLUE if 4 <= y < 8 and 4 <= x < 8 else PALE if 4 <= y < 8 else None

    def tile_b(x, y):
        return ORANGE if 4 <= x < 8 and 4 <= y < 8 else PALE if 4 <= x < 8 else None

    matrices(400, tile_a, tile_b, lambda x, y: GREEN if 4 <= x < 8 and 4 <= y < 8 else None)
    p.lines(400, 374,
            ['a block of threads copies one tile of A and one of B,',
             'waits, multiplies them, and goes on to the next two.',
             'With tiles of 16, an element read serves 16 threads.'])
    p.arrow(400 + 80, 290, 400 + 112, 290, INK)
    p.arrow(400 + 206, 156, 400 + 206, 188, INK)
    return p


def min_plus_pairs():
    p = Picture(760, 330, 'The pairs of a min-plus convolution')
    cell, top, n = 18, 76, 10
    p.text(30, 28, 'One output is one anti-diagonal', 15, bold=True)
    p.text(30, 48, 'cell: a[i] + b[j]; c[k] is the least with i + j = k', 12, GREY)
    p.grid(30, top, n, n, cell, lambda x, y: ORANGE if x + y == 6 else BLUE if x + y == 7 else None)
    p.lines(30, top + n * cell + 22, ['one thread per k: thread 6 (orange) and thread 7 (blue)',
                                      'read the same b[j] one step apart, each from memory'])
    p.text(410, 28, 'A tile serves many outputs', 15, bold=True)
    p.text(410, 48, '4 + 4 elements that were read give 16 sums', 12, GREY)
    shades = [PURPLE, BLUE, GREEN, ORANGE, RED, PURPLE, BLUE]

    def tile(x, y):
        inside = 3 <= x < 7 and 2 <= y < 6
        return shades[x - 3 + y - 2] if inside else PALE if 3 <= x < 7 or 2 <= y < 6 else None

    p.grid(410, top, n, n, cell, tile)
    p.lines(410, top + n * cell + 22, ['a colour is one output; its least sum stays in a register',
                                       'while the tile moves along i'])
    for x in (30, 410):
        p.text(x - 14, top + 100, 'j', 13)
        p.text(x + 92, top - 8, 'i', 13)
    return p


def recursive_lines():
    p = Picture(770, 270, 'What the threads of a warp read at one moment, along rows and along columns')
    cell, top = 18, 70
    for x, heading, colour, down, notes in [
            (30, 'Along rows: one thread per row', ORANGE, False,
             ['at one moment the 8 threads read 8 pixels', 'that are a row apart: 8 lines of memory']),
            (400, 'Along columns: one thread per column', BLUE, True,
             ['at one moment the 8 threads read 8 pixels', 'side by side: one line of memory'])]:
        p.text(x, 26, heading, 15, bold=True)
        p.text(x, 46, 'memory goes along the rows; number: the thread', 12, GREY)
        p.grid(x, top, 8, 8, cell,
               lambda c, r, d=down, fill=colour: fill if (r if d else c) == 3 else None)
        for i in range(8):
            across, along = i * cell + cell / 2, 3 * cell + cell / 2
            left, over = (across, along) if down else (along, across)
            p.text(x + left, top + over + 4, i, 11, 'white', 'middle')
            if down:
                p.arrow(x + left, top + 4 * cell + 4, x + left, top + 8 * cell - 4, GREY, 1)
            else:
                p.arrow(x + 4 * cell + 4, top + over, x + 8 * cell - 4, top + over, GREY, 1)
        p.lines(x, top + 8 * cell + 24, notes)
    return p


def recursive_passes():
    p = Picture(900, 350, 'Columns in parallel, transposes between them, and tiles with carries')
    cell, top = 14, 84
    p.text(20, 28, 'columns', 15, bold=True)
    p.text(20, 48, 'one thread per line', 12, GREY)
    p.grid(20, top, 8, 8, cell, lambda x, y: BLUE if y == 3 else None)
    p.grid(20, top + 128, 8, 8, cell, lambda x, y: BLUE if x == 3 else None)
    for i in range(8):
        p.arrow(20 + i * cell + 7, top + 8, 20 + i * cell + 7, top + 104, INK, 1)
        p.arrow(26, top + 128 + i * cell + 7, 128, top + 128 + i * cell + 7, INK, 1)
    p.lines(142, top + 40, ['down, then up:', 'a warp reads a row,', 'which coalesces'], 11)
    p.lines(142, top + 168, ['along rows: a warp', 'reads a column,', 'which does not'], 11, RED)
    p.text(290, 28, 'transposed', 15, bold=True)
    p.text(290, 48, 'only columns, with transposes between', 12, GREY)
    for i, words in enumerate(['columns', 'transpose', 'columns', 'transpose']):
        y = top + i * 60
        p.rect(290, y, 110, 36, PALE if i % 2 else '#dce9f7')
        p.text(345, y + 23, words, 13, INK, 'middle')
        if i < 3:
            p.arrow(345, y + 36, 345, y + 59)
    p.lines(415, top + 10, ['as many threads', 'as columns, each', 'with all rows in', 'sequence'], 11)
    p.text(570, 28, 'blocks', 15, bold=True)
    p.text(570, 48, 'tiles in parallel, joined by what they carry', 12, GREY)
    for row in range(3):
        for column in range(3):
            x, y = 570 + column * 64, top + row * 64
            p.rect(x, y, 50, 40, '#dce9f7')
            p.rect(x, y + 32, 50, 8, ORANGE, 'none')
            if row < 2:
                p.arrow(x + 25, y + 40, x + 25, y + 63, RED)
    p.lines(570, top + 192,
            ['1. all tiles at once, each from zero; only their', '    last rows are kept (orange)',
             '2. a short walk over these: what enters each tile (red)',
             '3. all tiles at once again, now with what enters'], 11)
    return p


def blur_windows():
    p = Picture(640, 260, 'The windows of two neighbouring pixels')
    cell, top = 18, 70

    def fill(x, y):
        first, second = 2 <= x < 7 and 2 <= y < 7, 3 <= x < 8 and 2 <= y < 7
        if (x, y) in ((4, 4), (5, 4)):
            return GREEN
        return PURPLE if first and second else BLUE if first else ORANGE if second else None

    p.text(30, 26, 'Two neighbouring pixels of a blur of radius 2', 15, bold=True)
    p.text(30, 46, 'direct: one thread per pixel, which reads its whole window', 12, GREY)
    p.grid(30, top, 10, 9, cell, fill)
    p.lines(240, top + 14, ['green: the two pixels', 'blue: read for the left one only (5)',
                            'orange: read for the right one only (5)',
                            'purple and green: read by both threads (20)'])
    p.lines(240, top + 104, ['50 loads for 30 different pixels; with radius r',
                             '(2 r + 1)(2 r + 1) loads per pixel,',
                             'of which 2 r (2 r + 1) are the neighbour\'s too'])
    return p


def blur_halo():
    p = Picture(780, 350, 'A separable blur, and the halo of a tile')
    cell, top = 16, 80
    p.text(20, 28, 'Two passes in place of a square', 15, bold=True)
    p.text(20, 48, 'radius 2', 12, GREY)

    def pixel_or(colour, reads):
        return lambda x, y: GREEN if (x, y) == (3, 3) else colour if reads(x, y) else None

    p.grid(20, top, 7, 7, cell, pixel_or(ORANGE, lambda x, y: 1 <= x < 6 and 1 <= y < 6))
    p.text(20, top + 134, 'direct: 25 reads', 12)
    p.grid(150, top, 7, 7, cell, pixel_or(BLUE, lambda x, y: y == 3 and 1 <= x < 6))
    p.text(274, top + 62, 'then', 12)
    p.grid(312, top, 7, 7, cell, pixel_or(BLUE, lambda x, y: x == 3 and 1 <= y < 6))
    p.text(150, top + 134, 'separable: 5 + 5 reads, and an image between', 12)
    p.lines(20, top + 176,
            ['green: the pixel that is computed', 'orange, blue: the pixels that it reads'], 11, GREY)
    p.text(500, 28, 'A tile with its halo', 15, bold=True)
    p.text(500, 48, 'both passes in one kernel', 12, GREY)

    def halo(x, y):
        if 2 <= x < 10 and 2 <= y < 10:
            return GREEN
        return BLUE if 2 <= x < 10 else ORANGE

    p.grid(500, top, 12, 12, cell, halo)
    p.lines(500, top + 212,
            ['green: the tile that a block computes', 'blue: rows whose first pass it computes too',
             'all: what it reads into shared memory'], 11, GREY)
    return p


PICTURES = [transpose_direct, transpose_banks, transpose_banks_bytes, transpose_diagonal, loads_in_flight,
            row_sum, matmul_reads, min_plus_pairs, recursive_lines, recursive_passes, blur_windows, blur_halo]


if __name__ == '__main__':
    sys.exit(write_or_check({os.path.join(FOLDER, f'{draw.__name__}.svg'): draw().svg() for draw in PICTURES},
                            sys.argv[1:] == ['--check']))
