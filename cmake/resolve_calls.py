#!/usr/bin/env python3
"""Resolves in OBJECT (ELF, x86-64) what does not need the final link.

Usage: resolve_calls.py OBJECT. Calls and jumps whose target is in the same section of code get their
distance: compilers and `ld -r` leave each of them to the final link, with 24 bytes and the name of the
target, so that a linker may drop or replace either function; in an archive whose functions are one section,
it cannot. A weak name stays, because another file may define it. Other addresses of local names are written
as a distance from the section, so that the names may be left out. An object of another kind is left as it is.
"""
import struct
import sys

RELA, SYMTAB, EXECUTABLE, MERGE = 4, 2, 4, 16
ADDRESS, PC32, PLT32 = 1, 2, 4
SECTION = 3  # the kind of a symbol, which is local: info & 15 is the kind, info >> 4 is 0 of local ones
WEAK = 2  # info >> 4


def main():
    with open(sys.argv[1], 'rb') as file:
        data = bytearray(file.read())
    if data[:6] != b'\x7fELF\x02\x01' or struct.unpack_from('<HH', data, 16) != (1, 62):
        return
    headers = struct.unpack_from('<Q', data, 40)[0]
    count = struct.unpack_from('<H', data, 60)[0]
    # type, flags, address, offset, size, link, info of each section
    sections = [struct.unpack_from('<4xIQQQQII', data, headers + 64 * i) for i in range(count)]
    table = next(section for section in sections if section[0] == SYMTAB)
    # info, section, value
    symbols = list(struct.iter_unpack('<4xBxHQ8x', data[table[3]:table[3] + table[4]]))
    of_sections = {section: at for at, (info, section, _) in enumerate(symbols) if info == SECTION}
    for at, (kind, _, _, start, size, _, target) in enumerate(sections):
        if kind != RELA:
            continue
        code = sections[target][1] & EXECUTABLE
        kept = bytearray()
        for entry in range(start, start + size, 24):
            place, how, symbol, added = struct.unpack_from('<QIIq', data, entry)
            info, section, value = symbols[symbol]
            if code and how in (PC32, PLT32) and section == target and info >> 4 != WEAK:
                struct.pack_into('<i', data, sections[target][3] + place, value + added - place)
                continue
            is_local = info >> 4 == 0 and section in of_sections and not sections[section][1] & MERGE
            if how in (ADDRESS, PC32, PLT32) and is_local:
                symbol, added = of_sections[section], added + value
            kept += struct.pack('<QIIq', place, how, symbol, added)
        data[start:start + len(kept)] = kept
        struct.pack_into('<Q', data, headers + 64 * at + 32, len(kept))
    with open(sys.argv[1], 'wb') as file:
        file.write(data)


main()
