#!/usr/bin/env python3
"""Resolves in OBJECT (ELF, x86-64) what does not need the final link.

Usage: resolve_calls.py OBJECT. Compilers and `ld -r` leave each call and each address to the final link, with
24 bytes and often a name, so that a linker may drop or replace the function. In an archive whose functions
are one section, it cannot. So here

* calls and jumps within a section of code get their distance. A weak name may be defined by another file;
* calls of another name, and of a weak one, go to one jump to that name, which is put behind the code;
* addresses of local names are written as a distance from the section, so that no one needs the names;
* constants of which a linker keeps equal ones once (mergeable sections) are there once already;
* tables for unwinding have no entries of functions that were dropped, and equal headers once.

An object of another kind is left as it is.
"""
import struct
import sys

NULL, RELA, SYMTAB, NOBITS = 0, 4, 2, 8
ALLOCATED, EXECUTABLE, MERGE, STRINGS = 2, 4, 16, 32
NONE, ADDRESS, PC32, PLT32, GOTPCREL = 0, 1, 2, 4, (9, 41, 42)
SECTION = 3  # the kind of a symbol, which is local: info & 15 is the kind, info >> 4 is 0 of local ones
WEAK = 2  # info >> 4
CALL, JUMP, LOAD, ADDRESS_OF = 0xe8, 0xe9, 0x8b, 0x8d  # first bytes of instructions


class Section:
    def __init__(self, data, header):
        (self.name, self.kind, self.flags, self.address, start, self.size, self.link, self.info, self.align,
            self.entry) = struct.unpack_from('<IIQQQQIIQQ', data, header)
        self.bytes = bytearray(b'' if self.kind == NOBITS else data[start:start + self.size])
        self.relocations = []  # [place, how, symbol, added]


class Object:
    def __init__(self, data):
        self.header = data[:64]
        at = struct.unpack_from('<Q', data, 40)[0]
        count = struct.unpack_from('<H', data, 60)[0]
        self.sections = [Section(data, at + 64 * i) for i in range(count)]
        names = self.sections[struct.unpack_from('<H', data, 62)[0]].bytes
        table = next(section for section in self.sections if section.kind == SYMTAB)
        self.table = table
        self.names = self.sections[table.link].bytes
        # [name, info, other, section, value, size]
        self.symbols = [list(symbol) for symbol in struct.iter_unpack('<IBBHQQ', table.bytes)]
        self.of_sections = {symbol[3]: at for at, symbol in enumerate(self.symbols) if symbol[1] == SECTION}
        for section in self.sections:
            section.word = text_at(names, section.name)
            if section.kind == RELA:
                self.sections[section.info].relocations = [
                    list(entry) for entry in struct.iter_unpack('<QIIq', section.bytes)]

    def bytes(self):
        self.table.bytes = b''.join(struct.pack('<IBBHQQ', *symbol) for symbol in self.symbols)
        out = bytearray(self.header)
        headers = b''
        for section in self.sections:
            if section.kind == RELA:
                section.bytes = b''.join(
                    struct.pack('<QIIq', *entry) for entry in self.sections[section.info].relocations)
            if section.kind != NOBITS:
                section.size = len(section.bytes)
            out += bytes(-len(out) % max(section.align, 1))
            headers += struct.pack('<IIQQQQIIQQ', section.name, section.kind, section.flags, section.address,
                len(out) if section.kind != NULL else 0, section.size, section.link, section.info,
                section.align, section.entry)
            out += section.bytes
        out += bytes(-len(out) % 8)
        struct.pack_into('<Q', out, 40, len(out))
        return bytes(out + headers)


def text_at(names, at):
    return bytes(names[at:names.index(0, at)]).decode()


# Whether the four bytes at `place` are those of a call, a jump, or a jump with a condition.
def is_call(code, place):
    return code[place - 1] in (CALL, JUMP) or (code[place - 2] == 0x0f and code[place - 1] & 0xf0 == 0x80)


# Distances within `code`, the section of number `at`; the rest stays for the final link.
def resolve(of, code, at):
    kept = []
    callers = {}  # of a symbol
    for entry in code.relocations:
        place, how, symbol, added = entry
        name, info, _, section, value, _ = of.symbols[symbol]
        is_foreign = section == 0 or info >> 4 == WEAK
        # `call __tls_get_addr` is a part of a sequence that linkers replace as a whole.
        if is_foreign and how == PLT32 and added == -4 and is_call(code.bytes, place) and \
                text_at(of.names, name) != '__tls_get_addr':
            callers.setdefault(symbol, []).append(entry)
            continue
        # A load of an address from the table of addresses becomes the address, as linkers do it.
        if how in GOTPCREL and info >> 4 == 0 and section != 0 and added == -4 and \
                code.bytes[place - 2] == LOAD and code.bytes[place - 3] & 0xf8 == 0x48:
            code.bytes[place - 2] = ADDRESS_OF
            how = entry[1] = PC32
        if how in (PC32, PLT32) and section == at and info >> 4 != WEAK:
            struct.pack_into('<i', code.bytes, place, value + added - place)
        else:
            kept.append(entry)
    for symbol, entries in callers.items():
        if len(entries) == 1:
            kept += entries
            continue
        jump = len(code.bytes)
        code.bytes += bytes((JUMP, 0, 0, 0, 0))
        kept.append([jump + 1, PLT32, symbol, -4])
        for place, _, _, added in entries:
            struct.pack_into('<i', code.bytes, place, jump + added - place)
    code.relocations = sorted(kept)


# Equal constants of `section` become one. Each is found by a symbol, whose place changes.
def merge_constants(of, section, at):
    places = {}  # of a constant
    symbols = {}  # of a place
    merged = {}  # for a symbol, the one that has its place
    whole = of.of_sections.get(at)
    if any(entry[2] == whole for other in of.sections for entry in other.relocations):
        return
    kept = bytearray()
    for number, symbol in enumerate(of.symbols):
        if symbol[3] != at or number == whole:
            continue
        start, inside = divmod(symbol[4], section.entry)
        constant = bytes(section.bytes[start * section.entry:(start + 1) * section.entry])
        if constant not in places:
            places[constant] = len(kept)
            kept += constant
        symbol[4] = places[constant] + inside
        if symbol[1] >> 4 == 0:
            merged[number] = symbols.setdefault(symbol[4], number)
    section.bytes = kept
    for other in of.sections:
        for entry in other.relocations:
            entry[2] = merged.get(entry[2], entry[2])


# A table for unwinding without what nobody needs. Entries of functions that were dropped have a relocation of
# no kind. Where `ld -r` has left such an entry out, it puts this relocation at the place of the one before,
# which may be that of a header or of a function that is kept. An entry says how far before it the header is
# that it shares with others.
def without_dropped_functions(section):
    old = section.bytes
    at = {entry[0]: entry for entry in section.relocations if entry[1] == NONE}
    at |= {entry[0]: entry for entry in section.relocations if entry[1] != NONE}
    kept = bytearray()
    relocations = []
    headers = {}  # by their bytes and relocations, the place among those that are kept
    of_header = {}  # by the place before
    start = 0
    while start < len(old):
        length, back = struct.unpack_from('<II', old + bytes(4), start)
        end = start + 4 + length
        record = old[start:end]
        inside = [at[place] for place in range(start, end) if place in at]
        is_kept = True
        if length and back == 0:
            same = bytes(record), tuple((entry[0] - start, *entry[1:]) for entry in inside)
            of_header[start] = headers.setdefault(same, len(kept))
            is_kept = of_header[start] == len(kept)
        elif length:
            struct.pack_into('<I', record, 4, len(kept) + 4 - of_header[start + 4 - back])
            is_kept = at.get(start + 8, [0, PC32])[1] != NONE
        if is_kept:
            relocations += [[entry[0] - start + len(kept), *entry[1:]] for entry in inside]
            kept += record
        start = end
    section.bytes = kept
    section.relocations = relocations


def main():
    with open(sys.argv[1], 'rb') as file:
        data = file.read()
    if data[:6] != b'\x7fELF\x02\x01' or struct.unpack_from('<HH', data, 16) != (1, 62):
        return
    of = Object(data)
    for at, section in enumerate(of.sections):
        if section.flags & EXECUTABLE:
            resolve(of, section, at)
        if section.flags & (MERGE | STRINGS) == MERGE:
            merge_constants(of, section, at)
        if section.word == '.eh_frame':
            without_dropped_functions(section)
    for section in of.sections:
        for entry in section.relocations:
            _, info, _, number, value, _ = of.symbols[entry[2]]
            is_local = info >> 4 == 0 and number in of.of_sections and \
                not of.sections[number].flags & MERGE
            if entry[1] in (ADDRESS, PC32, PLT32) and is_local:
                entry[2:] = of.of_sections[number], entry[3] + value
    with open(sys.argv[1], 'wb') as file:
        file.write(of.bytes())


main()
