# SPDX-License-Identifier: MIT
"""Writes ELF files that claim more than they have: tables in holes, over each other, or
compressed. No loader would accept most of them; a process maps their first page."""
import os
import struct
import zlib

PT_LOAD, PT_NOTE = 1, 4
PF_RX, PF_R = 5, 4
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE = 1, 2, 3, 7
SHF_COMPRESSED = 0x800
PAGE = 4096
GIB = 1 << 30
CODE = b'\xc3' * PAGE  # ret


class File:
    """A file in the making: code in its second page, then what is added."""

    def __init__(self):
        self.pieces = {PAGE: CODE}  # offset -> bytes; the rest are holes
        self.end = 2 * PAGE
        self.segments = [(PT_LOAD, PF_RX, PAGE, PAGE, PAGE)]
        self.sections = []
        self.names = b'\0'

    def add(self, data):
        """Bytes at the next page; where they are."""
        at = self.end
        self.pieces[at] = data
        self.end += -(-len(data) // PAGE) * PAGE
        return at

    def hole(self, size):
        at = self.end
        self.end += size
        return at

    def segment(self, kind, flags, offset, address, size):
        self.segments.append((kind, flags, offset, address, size))

    def section(self, name, kind, offset, size, **more):
        """The number of the new section."""
        at = self.names.find(name.encode() + b'\0')
        if at < 0:
            at = len(self.names)
            self.names += name.encode() + b'\0'
        self.sections.append(struct.pack(
            '<IIQQQQIIQQ', at, kind, more.get('flags', 0), more.get('address', 0), offset, size,
            more.get('link', 0), 0, more.get('align', 1), more.get('entry', 0)))
        return len(self.sections)

    def write(self, path):
        strings = self.add(self.names + b'.shstrtab\0')
        index = self.section('.shstrtab', SHT_STRTAB, strings, len(self.names) + 10)
        count = len(self.sections) + 1
        big = count >= 0xff00
        zero = struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, count if big else 0,
                           index if big else 0, 0, 0, 0)
        table = self.add(zero + b''.join(self.sections))
        header = b'\x7fELF\2\1\1' + bytes(9) + struct.pack(
            '<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, table, 0, 64, 56, len(self.segments), 64,
            0 if big else count, 0xffff if big else index)
        for kind, flags, offset, address, size in self.segments:
            header += struct.pack('<IIQQQQQQ', kind, flags, offset, address, address, size, size,
                                  PAGE)
        assert len(header) <= PAGE
        self.pieces[0] = header
        with open(path, 'wb') as f:
            f.truncate(self.end)
            for at, data in self.pieces.items():
                f.seek(at)
                f.write(data)
        assert os.path.getsize(path) == self.end


def symbols(file, table, size, names, names_size):
    """A symbol table at an offset, with its names at another."""
    link = file.section('.strtab', SHT_STRTAB, names, names_size)
    file.section('.symtab', SHT_SYMTAB, table, size, link=link, entry=24)


def function(name, value=PAGE, size=1):
    """A symbol; name is the offset of its name."""
    return struct.pack('<IBBHQQ', name, 0x12, 0, 1, value, size)


def named():
    """A file whose only function has a name, so that its code is looked at."""
    f = File()
    symbols(f, f.add(bytes(24) + function(1)), 48, f.add(b'\0victim\0'), 8)
    return f


def segments():
    """16 segments of 1 GiB, all of them the same hole."""
    f = named()
    at = f.hole(GIB)
    for i in range(16):
        f.segment(PT_LOAD, PF_RX, at, (i + 1) * GIB, GIB)
    return f


def symtab():
    """1 GiB of symbols and 1 GiB of names, in holes."""
    f = File()
    symbols(f, f.hole(GIB), GIB, f.hole(GIB), GIB)
    return f


def long_names():
    """Each name is the rest of the string table, from its second letter on."""
    f = File()
    n = 1 << 20
    names = f.add(b'\0' + b'x' * n + b'\0')
    table = f.add(b''.join(function(1 + i) for i in range(n // 8)))
    symbols(f, table, n // 8 * 24, names, n + 2)
    return f


def compressed(prefix):
    """Eight sections that inflate to 512 MiB each, from the same bytes."""
    f = File()
    z = zlib.compressobj(9)
    data = b''.join(z.compress(bytes(1 << 24)) for _ in range(32)) + z.flush()
    data = struct.pack('<IIQQ', 1, 0, GIB // 2, 1) + data
    at = f.add(data)
    for name in ('info', 'abbrev', 'str', 'line', 'loc', 'ranges', 'aranges', 'frame'):
        f.section(prefix + name, SHT_PROGBITS, at, len(data), flags=SHF_COMPRESSED)
    f.section('.debug_info', SHT_PROGBITS, at, len(data), flags=SHF_COMPRESSED)
    return f


def debug_hole():
    """Debug data of 1 GiB a section, in one hole."""
    f = File()
    at = f.hole(GIB)
    for name in ('info', 'abbrev', 'str', 'line', 'loc', 'ranges', 'aranges', 'frame', 'types'):
        f.section('.debug_' + name, SHT_PROGBITS, at, GIB)
    for i in range(1000):
        f.section('.debug_%d' % i, SHT_PROGBITS, at, GIB)
    return f


def notes():
    """60,000 sections of notes, of 512 KiB each, all of them the same bytes."""
    f = File()
    size = 1 << 19
    note = struct.pack('<III', 4, 0, 9) + b'XYZ\0'
    at = f.add(note * (size // len(note)))
    for _ in range(60000):
        f.section('.note', SHT_NOTE, at, size, align=4)
    return f


def relr():
    """Packed relocations: 64 of the same words again and again, in 16 bytes."""
    f = named()
    n = 4 << 20
    at = f.end
    f.add((struct.pack('<Q', at) + b'\xff' * 8) * (n // 16))
    f.segment(PT_LOAD, PF_R, at, at, n)
    dynamic = struct.pack('<QQQQQQ', 36, at, 35, n, 0, 0)
    where = f.add(dynamic)
    f.segment(2, PF_R, where, where, len(dynamic))
    return f


def frames():
    """An unwind table with a row for each byte of its instructions."""
    f = File()
    cie = struct.pack('<II', 0x14, 0) + b'\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0'
    assert len(cie) == 24
    data, at = [cie], len(cie)
    steps = b'\x41' * (PAGE - 1) + b'\0'
    address = f.end
    for _ in range(1000):
        body = struct.pack('<IiI', at + 4, PAGE - (address + at + 8), PAGE) + b'\0' + steps
        body += bytes(-len(body) % 4)
        data.append(struct.pack('<I', len(body)) + body)
        at += 4 + len(body)
    data = b''.join(data)
    where = f.add(data)
    assert where == address
    f.section('.eh_frame', SHT_PROGBITS, where, len(data), address=where)
    return f


def bomb():
    """.gnu_debugdata of a few KiB that unpacks to 1 GiB."""
    import lzma  # not in every Python
    f = File()
    xz = lzma.LZMACompressor(preset=1)
    data = b''.join(xz.compress(bytes(1 << 24)) for _ in range(64)) + xz.flush()
    f.section('.gnu_debugdata', SHT_PROGBITS, f.add(data), len(data))
    return f


def linked(name):
    """With the name of a debug file that it has no checksum of."""
    f = File()
    data = name.encode() + b'\0'
    data += bytes(-len(data) % 4) + b'\1\2\3\4'
    f.section('.gnu_debuglink', SHT_PROGBITS, f.add(data), len(data))
    return f


def hollow():
    """A debug file of 1 TiB without content."""
    f = File()
    symbols(f, f.hole(1 << 40), 24, PAGE, 16)
    return f
