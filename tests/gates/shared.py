#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every word that a target can write to is listed, with what bounds it.

  shared.py SOURCE_ROOT

The tables of tracer/trust/README.md name each field of the structures below as `struct.field`
in their first column, exactly once; they name no other fields.
"""
import os
import re
import sys

LIST = 'tracer/trust/README.md'
SHARED = {
    'vm/block/layout.h': ['exchange', 'variables', 'inline_cache', 'meter_cell', 'meters', 'slot'],
    'vm/block/freelist.h': ['freelist'],
    'vm/block/stream.h': ['stream_chunk'],
    'vm/block/spec.h': ['spec_used'],
    'vm/state.h': ['state_unheard', 'state_drops'],
    'vm/own_time.h': ['own_time'],
    'vm/tail_calls.h': ['tail_call', 'tail_calls'],
    'vm/agg/shard.h': ['element'],
    'vm/record.h': ['record', 'record_item', 'record_fault'],
    'vm/run/cell.h': ['cell'],
    'hook/resident.h': ['resident_gate', 'resident_level', 'resident_thread', 'resident_walk',
                        'resident_tcb', 'resident_cached', 'resident_count_cache'],
}
# told by the keeper: only those fields that come from a target
TOLD = ['keeper_release_reply.detour_hits', 'keeper_release_reply.fired',
        'keeper_release_reply.liars']


def body_of(text, struct):
    """What stands between the braces; None: there is no such structure."""
    m = re.search(r'\bstruct %s \{' % struct, text)
    if not m:
        return None
    depth, at = 1, m.end()
    while depth:
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        at += 1
    return text[m.end():at - 1]


def fields_of(text, struct):
    """The names of its members; a nested structure counts as one."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    body = body_of(text, struct)
    if body is None:
        return None
    while re.search(r'\{[^{}]*\}', body):
        body = re.sub(r'\{[^{}]*\}', ' ', body)
    names = []
    for declaration in body.split(';'):
        declaration = re.sub(r'\[[^][]*\]|_Alignas\([^()]*\)|:\s*\d+', ' ', declaration)
        for part in declaration.split(','):
            words = re.findall(r'\w+', part)
            names += words[-1:]
    return names


def listed_fields(text):
    """All that the first columns of the tables name."""
    rows = [line.split('|')[1] for line in text.split('\n') if line.startswith('| ')]
    return [name for row in rows for name in re.findall(r'`([a-z]\w*\.[a-z]\w*)`', row)
            if not name.endswith('.h')]


def faults(root):
    def read(path):
        with open(os.path.join(root, path), encoding='utf-8') as f:
            return f.read()

    listed, known = listed_fields(read(LIST)), list(TOLD)
    for path, structs in SHARED.items():
        for struct in structs:
            names = fields_of(read(path), struct)
            if names is None:
                yield '%s: no struct %s, which %s lists' % (path, struct, LIST)
            known += ['%s.%s' % (struct, name) for name in names or []]
    for name in known:
        if listed.count(name) != 1:
            yield '%s: names %s %d times: who reads it, and what bounds it?' % (
                LIST, name, listed.count(name))
    for name in sorted(set(listed) - set(known)):
        yield '%s: there is no %s' % (LIST, name)


def main():
    found = list(faults(sys.argv[1]))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
