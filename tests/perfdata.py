# SPDX-License-Identifier: MIT
"""Writes small recordings as perf does: perf.data-file-format.txt and perf_event_open(2).

A recording is a list of records (bytes) that share the sample type SAMPLE: identifier, ip, tid,
time, cpu, callchain, raw. pipe() and file() put a header around them."""
import struct

TRACEPOINT, SOFTWARE = 2, 1
SAMPLE = 1 << 16 | 1 | 2 | 4 | 128 | 32 | 1024
COMMON = (('unsigned short', 'common_type', 0, 2, 0), ('unsigned char', 'common_flags', 2, 1, 0),
          ('unsigned char', 'common_preempt_count', 3, 1, 0), ('int', 'common_pid', 4, 4, 1))
SIZE = {'int': 4, 'long': 8, 'unsigned long': 8, 'char': 1}
KERNEL, USER = (1 << 64) - 128, (1 << 64) - 512
MISC_KERNEL, MISC_USER, MISC_EXEC = 1, 2, 0x2000


def pad(data, to=8):
    return data + bytes(-len(data) % to)


def record(kind, payload, misc=0):
    return struct.pack('<IHH', kind, misc, 8 + len(payload)) + payload


class Tracepoint:
    """fields: (type, name, count); count 0: a single value."""

    def __init__(self, number, system, name, fields):
        self.number, self.system, self.name, self.fields = number, system, name, fields
        self.at, lines = {}, ['\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;' % f for f in COMMON]
        lines.append('')
        end = 8
        for kind, field, count in fields:
            size = SIZE[kind]
            end += -end % size
            self.at[field] = end, size, count
            lines.append('\tfield:%s %s%s;\toffset:%d;\tsize:%d;\tsigned:%d;' % (
                kind, field, '[%d]' % count if count else '', end, size * (count or 1),
                kind in ('int', 'long')))
            end += size * (count or 1)
        self.size = end
        self.format = 'name: %s\nID: %d\nformat:\n%s\n\nprint fmt: "%%d", REC->x\n' % (
            name, number, '\n'.join(lines))

    def raw(self, pid, values):
        data = bytearray(self.size)
        struct.pack_into('<HBBi', data, 0, self.number, 0, 0, pid)
        for field, value in values.items():
            at, size, _ = self.at[field]
            for i, part in enumerate([value] if isinstance(value, int) else value):
                data[at + i * size:at + (i + 1) * size] = \
                    (part & (1 << 8 * size) - 1).to_bytes(size, 'little')
        return bytes(data)


def attr(kind, config, period=1, freq=False, sample=SAMPLE, maps=False):
    flags = 1 << 18 | maps << 8 | (1 << 10 if freq else 0)  # sample_id_all, freq
    return pad(struct.pack('<IIQQQQQ', kind, 128, config, period, sample, 0, flags), 128)


def trailer(pid, tid, time, cpu, number):
    return struct.pack('<IIQQQ', pid, tid, time, cpu, number)


def sample(number, time, pid, cpu=0, raw=b'', chain=(), ip=0, misc=MISC_USER):
    body = struct.pack('<QQIIQQ', number, ip, pid, pid, time, cpu)
    body += struct.pack('<Q%dQ' % len(chain), len(chain), *chain)
    filled = pad(struct.pack('<I', len(raw)) + raw)
    return record(9, body + struct.pack('<I', len(filled) - 4) + filled[4:], misc)


def comm(pid, name, time=0, misc=0):
    return record(3, struct.pack('<II', pid, pid) + pad(name.encode() + b'\0') +
                  trailer(pid, pid, time, 0, 0), misc)


def fork(pid, parent, time):
    return record(7, struct.pack('<IIIIQ', pid, parent, pid, parent, time) +
                  trailer(parent, parent, time, 0, 0))


def lost(count, time):
    return record(2, struct.pack('<QQ', 0, count) + trailer(0, 0, time, 0, 0))


def mmap2(pid, start, size, offset, path, build_id=b'', inode=0, time=0, misc=0):
    if build_id:
        who = struct.pack('<BBH', len(build_id), 0, 0) + build_id.ljust(20, b'\0')
    else:
        who = struct.pack('<IIQQ', 0, 0, inode, 0)
    return record(10, struct.pack('<IIQQQ', pid, pid, start, size, offset) + who +
                  struct.pack('<II', 5, 2) + pad(path.encode() + b'\0') +
                  trailer(pid, pid, time, 0, 0), misc | (0x4000 if build_id else 0))


ROUND = record(68, b'')


def tracing_data(tracepoints):
    data = bytes((23, 8, 68)) + b'tracing0.6\0' + struct.pack('<BBI', 0, 8, 4096)
    for name in (b'header_page', b'header_event'):
        data += name + b'\0' + struct.pack('<Q', 4) + b'none'
    systems = {}
    for t in tracepoints:
        systems.setdefault(t.system, []).append(t.format.encode())
    data += struct.pack('<II', 0, len(systems))
    for system, formats in systems.items():
        data += system.encode() + b'\0' + struct.pack('<I', len(formats))
        data += b''.join(struct.pack('<Q', len(f)) + f for f in formats)
    return data + struct.pack('<IIQ', 0, 0, 0)


def clock_data(wall, time):
    return struct.pack('<IIQQ', 1, 1, wall, time)


def text(value):
    return struct.pack('<I', 64) + value.ljust(64, b'\0')


def pipe(events, tracepoints, records, clock=None, features=None):
    """events: (attributes, number of its samples); features: their bytes by number."""
    data = b'PERFILE2' + struct.pack('<Q', 16)
    for attributes, number in events:
        data += record(64, attributes + struct.pack('<Q', number))
    formats = tracing_data(tracepoints)
    data += record(66, struct.pack('<I', len(formats)) + bytes(4)) + pad(formats)
    if clock:
        data += record(80, struct.pack('<Q', 29) + clock_data(*clock))
    for number, content in sorted((features or {}).items()):
        data += record(80, struct.pack('<Q', number) + pad(content))
    return data + b''.join(records)


def file(events, tracepoints, records, clock=None, features=None):
    body = b''.join(records)
    ids = b''.join(struct.pack('<Q', number) for _, number in events)
    attrs_at, attrs = 104 + len(ids), b''
    for i, (attributes, _) in enumerate(events):
        attrs += attributes + struct.pack('<QQ', 104 + 8 * i, 8)
    data_at = attrs_at + len(attrs)
    features = {1: tracing_data(tracepoints), **(features or {})}
    if clock:
        features[29] = clock_data(*clock)
    at = data_at + len(body) + 16 * len(features)
    sections = contents = b''
    for number in sorted(features):
        sections += struct.pack('<QQ', at + len(contents), len(features[number]))
        contents += features[number]
    bits = sum(1 << number for number in features).to_bytes(32, 'little')
    return b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 144, attrs_at, len(attrs), data_at,
                                     len(body), 0, 0) + \
        bits + ids + attrs + body + sections + contents
