#!/usr/bin/env python3
"""Puts the distance into calls and jumps of OBJECT (ELF, x86-64) whose target is in the same section of code.

Usage: resolve_calls.py OBJECT. Compilers and `ld -r` leave each of them to the final link, with 24 bytes and
the name of the target, so that a linker may drop or replace either function. In an archive whose functions
are one section, it cannot. An object of another kind is left as it is.
"""
import struct
import sys

RELA, SYMTAB, EXECUTABLE = 4, 2, 4
PC32, PLT32 = 2, 4


def main():
    with open(sys.argv[1], 'rb') as file:
        data = bytearray(file.read())
    if data[:6] != b'\x7fELF\x02\x01' or struct.unpack_from('<HH', data, 16) != (1, 62):
        return
    headers = struct.unpack_from('<Q', data, 40)[0]
    count = struct.unpack_from('<H', data, 60)[0]
    # type, flags, address, offset, size, link, info of each section
    sections = [struct.unpack_from('<4xIQQQQII', data, headers + 64 * i) for i in range(count)]
    symbols = next((section[3] for section in sections if section[0] == SYMTAB), 0)
    for at, (kind, _, _, start, size, _, target) in enumerate(sections):
        if kind != RELA or not sections[target][1] & EXECUTABLE:
            continue
        kept = bytearray()
        for entry in range(start, start + size, 24):
            place, how, symbol, added = struct.unpack_from('<QIIq', data, entry)
            section, value = struct.unpack_from('<6xHQ', data, symbols + 24 * symbol)
            if how in (PC32, PLT32) and section == target:
                struct.pack_into('<i', data, sections[target][3] + place, value + added - place)
            else:
                kept += data[entry:entry + 24]
        data[start:start + len(kept)] = kept
        struct.pack_into('<Q', data, headers + 64 * at + 32, len(kept))
    with open(sys.argv[1], 'wb') as file:
        file.write(data)


main()
