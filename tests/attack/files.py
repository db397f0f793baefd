# SPDX-License-Identifier: MIT
"""Small files that claim to be large: copies of an ELF library, each spoilt in one way."""
import struct
import zlib

HEADER = struct.Struct('<16sHHIQQQIHHHHHH')
SEGMENT = struct.Struct('<IIQQQQQQ')
SECTION = struct.Struct('<IIQQQQIIQQ')
PT_NOTE, PT_LOAD, PT_GNU_STACK = 4, 1, 0x6474e551
SHT_SYMTAB = 2
SHF_COMPRESSED = 0x800
GIB = 1 << 30


class Elf:
    """The bytes of a 64-bit file and its tables."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = bytearray(f.read())
        head = HEADER.unpack_from(self.data)
        self.segments_at, self.sections_at = head[5], head[6]
        self.nsegments, self.nsections, self.names = head[10], head[12], head[13]

    def segment(self, i):
        return list(SEGMENT.unpack_from(self.data, self.segments_at + i * SEGMENT.size))

    def set_segment(self, i, fields):
        SEGMENT.pack_into(self.data, self.segments_at + i * SEGMENT.size, *fields)

    def section(self, i):
        return list(SECTION.unpack_from(self.data, self.sections_at + i * SECTION.size))

    def set_section(self, i, fields):
        SECTION.pack_into(self.data, self.sections_at + i * SECTION.size, *fields)

    def name(self, i):
        table = self.section(self.names)[4]
        at = table + self.section(i)[0]
        return self.data[at:self.data.index(0, at)].decode()

    def write(self, path, size=0):
        """Sparse up to that size."""
        with open(path, 'wb') as f:
            f.write(self.data)
            if size > len(self.data):
                f.truncate(size)


def segments(source, path):
    """Segments of code of 1 GiB each, of a file without blocks behind its first ones."""
    elf, n = Elf(source), 0
    for i in range(elf.nsegments):
        kind = elf.segment(i)[0]
        if kind not in (PT_NOTE, PT_GNU_STACK):
            continue
        # after the others, which are in the first MiB
        at = (1 << 20) + n * 2 * GIB
        elf.set_segment(i, [PT_LOAD, 5, 1 << 20, at, at, GIB, GIB, 4096])
        n += 1
    assert n, 'no segment to use'
    elf.write(path, GIB + (1 << 20))


def symbols(source, path):
    """A symbol table of 1 GiB."""
    elf, found = Elf(source), False
    for i in range(elf.nsections):
        fields = elf.section(i)
        if fields[1] == SHT_SYMTAB:
            fields[4], fields[5] = (len(elf.data) + 4095) & ~4095, GIB // 24 * 24
            elf.set_section(i, fields)
            found = True
    assert found, 'no symbols'
    elf.write(path, GIB + (1 << 21))


def debug(source, path):
    """Sections of debug data that become 512 MiB each when they are inflated."""
    elf, found = Elf(source), 0
    pack = zlib.compressobj(9)
    packed = b''.join(pack.compress(bytes(1 << 20)) for _ in range(512)) + pack.flush()
    body = struct.pack('<IIQQ', 1, 0, 512 << 20, 1) + packed
    at = (len(elf.data) + 15) & ~15
    elf.data += bytes(at - len(elf.data)) + body
    for i in range(elf.nsections):
        if elf.name(i).startswith('.debug_'):
            fields = elf.section(i)
            fields[2] |= SHF_COMPRESSED
            fields[4], fields[5] = at, len(body)
            elf.set_section(i, fields)
            found += 1
    assert found, 'no debug data'
    elf.write(path)
