#!/usr/bin/env python3
"""Writes grey.png, colour.png and alpha.png, small pictures, into FOLDER. Usage: pictures.py FOLDER."""
import os
import struct
import sys
import zlib

WIDTH, HEIGHT = 37, 29


def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def write(path, colour_type, pixel):
    rows = b''.join(b'\0' + bytes(value for x in range(WIDTH) for value in pixel(x, y))
                    for y in range(HEIGHT))
    with open(path, 'wb') as file:
        header = struct.pack('>IIBBBBB', WIDTH, HEIGHT, 8, colour_type, 0, 0, 0)
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) +
                   chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


write(os.path.join(sys.argv[1], 'grey.png'), 0, lambda x, y: [(7 * x + 3 * y * y) % 256])
write(os.path.join(sys.argv[1], 'colour.png'), 2, lambda x, y: [7 * x % 256, 9 * y % 256, x * y % 256])
write(os.path.join(sys.argv[1], 'alpha.png'), 6,
      lambda x, y: [7 * x % 256, 9 * y % 256, x * y % 256, (5 * x + y) % 256])
