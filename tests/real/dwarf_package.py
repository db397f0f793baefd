# SPDX-License-Identifier: MIT
"""Makes PROGRAM.dwp of .dwo files of DWARF 5: dwp of binutils 2.40 cannot."""
import struct

# number of the column in the index, section; strings have no column
COLUMNS = {1: '.debug_info.dwo', 3: '.debug_abbrev.dwo', 4: '.debug_line.dwo',
           5: '.debug_loclists.dwo', 6: '.debug_str_offsets.dwo', 8: '.debug_rnglists.dwo'}
STRINGS = '.debug_str.dwo'
HEADER = struct.Struct('<16sHHIQQQIHHHHHH')
SECTION = struct.Struct('<IIQQQQIIQQ')


def sections_of(path):
    with open(path, 'rb') as f:
        data = f.read()
    fields = HEADER.unpack_from(data)
    table = [SECTION.unpack_from(data, fields[6] + i * SECTION.size) for i in range(fields[12])]
    names = table[fields[13]][4]
    return {data[names + s[0]:data.index(0, names + s[0])].decode(): data[s[4]:s[4] + s[5]]
            for s in table}


def elf(sections):
    names, body, table = b'\0', b'', [bytes(SECTION.size)]
    for name, data in {**sections, '.shstrtab': None}.items():
        at, names = len(names), names + name.encode() + b'\0'
        data = names if data is None else data
        table.append(SECTION.pack(at, 3 if name == '.shstrtab' else 1, 0, 0,
                                  HEADER.size + len(body), len(data), 0, 0, 1, 0))
        body += data
    return HEADER.pack(b'\x7fELF\2\1\1' + bytes(9), 1, 62, 1, 0, 0, HEADER.size + len(body), 0,
                       HEADER.size, 0, 0, SECTION.size, len(table), len(table) - 1) + \
        body + b''.join(table)


def index(units, columns, slots):
    """units: id, then (offset, size) by column."""
    ids, numbers = [0] * slots, [0] * slots
    for i, (unit, _) in enumerate(units):
        at, step = unit & (slots - 1), (unit >> 32 & (slots - 1)) | 1
        while numbers[at]:
            at = at + step & (slots - 1)
        ids[at], numbers[at] = unit, i + 1
    out = struct.pack('<4I%dQ%dI%dI' % (slots, slots, len(columns)), 5, len(columns), len(units),
                      slots, *ids, *numbers, *columns)
    for part in (0, 1):
        for _, places in units:
            out += struct.pack('<%dI' % len(columns), *(places[c][part] for c in columns))
    return out


def write(path, dwos, spoil=lambda data: data):
    """spoil: changes the index."""
    contents = [sections_of(dwo) for dwo in dwos]
    columns = [c for c, name in COLUMNS.items() if any(name in s for s in contents)]
    whole = {name: b'' for name in [*COLUMNS.values(), STRINGS]}
    units = []
    for s in contents:
        table = s['.debug_str_offsets.dwo']
        offsets = struct.unpack('<%dI' % (len(table) // 4 - 2), table[8:])
        s['.debug_str_offsets.dwo'] = table[:8] + struct.pack(
            '<%dI' % len(offsets), *(o + len(whole[STRINGS]) for o in offsets))
        unit, = struct.unpack_from('<Q', s['.debug_info.dwo'], 12)
        units.append((unit, {c: (len(whole[COLUMNS[c]]), len(s.get(COLUMNS[c], b'')))
                             for c in columns}))
        for name in whole:
            whole[name] += s.get(name, b'')
    whole = {name: data for name, data in whole.items() if data}
    whole['.debug_cu_index'] = spoil(index(units, columns, 4))
    with open(path, 'wb') as f:
        f.write(elf(whole))
