#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An #include may only go down: checks every #include of the product.

  includes.py SOURCE_ROOT

The rules are the tables below.

FLOORS      what a folder may include from other folders; a folder without a row fails.
INTERFACES  the headers that stand for a whole folder. They are the only files of the
            folder that code above it includes, and include nothing of its rooms.
FOREIGN     the one file that may include a foreign library.
CIRCLES     the circles of files within one folder, each with its reason.

Two rules follow from the includes themselves: the graph of folders has no circle (the
interface headers of a folder count as a node of their own), and the graph of the files
of one folder has none but those of CIRCLES. A .c and the .h of the same name are one
file there (a .def is another). No folder holds more than FILES_MAX C files.
"""
import os
import re
import sys

FILES_MAX = 40

# The machine's data formats and interface; the rest of vm/ is private.
VM_FORMATS = ['vm/isa.h', 'vm/program.h', 'vm/state.h', 'vm/record.h', 'vm/ring.h',
              'vm/agg.h', 'vm/env.h', 'vm/tuple.h', 'vm/vm.h', 'vm/operand_format.h',
              'vm/builtin.h', 'vm/journal.h', 'vm/meter.h', 'vm/own_time.h', 'vm/tail_calls.h', 'vm/names.h',
              'vm/nodes.h', 'vm/native.h',
              'vm/*.def']
BASE = ['vm/base/*']
HOST = ['vm/base/host/*', 'vm/base/text/*', 'vm/base/proc/*']

INTERFACES = {
    'tracer': ['tracer/tracer.h'],
    'tracer/keeper': ['tracer/keeper/keeper.h', 'tracer/keeper/fault_kind.h'],
    'hook': ['hook/hook.h', 'hook/target.h', 'hook/resident.h', 'hook/trampoline.h',
             'hook/near_search.h', 'hook/undo_log.h', 'hook/clause_code.h', 'hook/reason.def'],
    'dlang': ['dlang/dlang.h', 'dlang/type.h', 'dlang/typesrc.h'],
    'symbols': ['symbols/symbols.h', 'symbols/types.h', 'symbols/notes.h', 'symbols/limits.h'],
    'disasm': ['disasm/disasm.h'],
    'vm': VM_FORMATS,
}

HOOK = ['hook/hook.h', 'hook/target.h', 'hook/resident.h']
SYMBOLS = INTERFACES['symbols']
DISASM = INTERFACES['disasm']
DLANG = INTERFACES['dlang']
COMMON = VM_FORMATS + BASE + HOST
# what the front may include of the folders below it
FRONT = INTERFACES['tracer/keeper'] + HOOK + DISASM + SYMBOLS + DLANG + COMMON
# what the keeper may include of the folders below it
KEEPER = INTERFACES['tracer/keeper'] + INTERFACES['hook'] + DISASM + COMMON


def rooms(parent, *names):
    """All headers of these rooms of a folder."""
    return ['%s/%s/*' % (parent, name) for name in names]


# folder: what it may include from other folders
FLOORS = {
    'cmd': ['tracer/tracer.h'] + BASE + HOST,
    'tracer': FRONT + rooms('tracer', 'base', 'jit', 'trust', 'records', 'output', 'aggs', 'consume',
                            'live', 'targets', 'usdt', 'events', 'providers', 'export', 'pictures', 'explain',
                            'cost', 'cross', 'dump', 'emit', 'files', 'mapped', 'plancache', 'recording/write',
                            'recording/read', 'recording/replay', 'recording/snapshot'),
    'tracer/mapped': FRONT + rooms('tracer', 'base', 'jit', 'output', 'targets'),
    'tracer/cross': FRONT + ['tracer/tracer.h'] + rooms('tracer', 'base', 'records', 'output',
                                                        'aggs', 'consume', 'targets'),
    # it runs a stub
    'tracer/cost': FRONT + ['hook/trampoline.h'] + rooms('tracer', 'base', 'records', 'output',
                                                         'targets'),
    # it takes stubs apart
    'tracer/explain': FRONT + ['hook/trampoline.h'] + rooms('tracer', 'base', 'records',
                                                            'output', 'targets'),
    'tracer/pictures': COMMON + SYMBOLS + rooms('tracer', 'base', 'records', 'output', 'aggs',
                                                'consume'),
    'tracer/providers': FRONT + rooms('tracer', 'base', 'jit', 'records', 'output',
                                      'consume', 'targets', 'usdt', 'events', 'mapped',
                                      'exits', 'files', 'providers/machine'),
    'tracer/providers/machine': FRONT + rooms('tracer', 'base', 'events'),
    'tracer/recording/read': FRONT + rooms('tracer', 'base', 'output', 'events', 'recording'),
    'tracer/events': FRONT + rooms('tracer', 'base', 'output', 'targets'),
    'tracer/targets': FRONT + rooms('tracer', 'base', 'jit', 'records', 'output', 'files', 'plancache'),
    'tracer/files': SYMBOLS + BASE + HOST + rooms('tracer', 'base', 'output'),
    'tracer/exits': DISASM + SYMBOLS + BASE + HOST + rooms('tracer', 'base', 'output', 'plancache',
                                                           'targets'),
    'tracer/plancache': ['hook/hook.h'] + SYMBOLS + BASE + HOST,
    'tracer/usdt': FRONT + rooms('tracer', 'base', 'records', 'output', 'targets'),
    'tracer/live': COMMON + rooms('tracer', 'base', 'output', 'aggs', 'consume'),
    'tracer/export': COMMON + rooms('tracer', 'base', 'records', 'output', 'aggs', 'consume'),
    'tracer/consume': COMMON + rooms('tracer', 'base', 'trust', 'records', 'output', 'aggs',
                                     'dump', 'emit'),
    'tracer/emit': COMMON + rooms('tracer', 'base', 'events'),
    'tracer/recording': BASE,
    'tracer/recording/replay': FRONT + rooms('tracer', 'base', 'output', 'events', 'recording',
                                             'recording/read'),
    'tracer/recording/write': FRONT + rooms('tracer', 'base', 'output', 'targets', 'events',
                                            'recording'),
    'tracer/recording/snapshot': FRONT + rooms('tracer', 'base', 'output', 'records', 'trust',
                                               'recording/write'),
    'tracer/dump': FRONT + rooms('tracer', 'base', 'output'),
    'tracer/aggs': COMMON + rooms('tracer', 'base', 'trust', 'records', 'output'),
    # the names of stacks come from symbols
    'tracer/output': COMMON + SYMBOLS + rooms('tracer', 'base', 'jit', 'trust', 'records'),
    'tracer/records': COMMON + rooms('tracer', 'base', 'trust'),
    'tracer/trust': COMMON + rooms('tracer', 'base'),
    # the code that programs make at run time
    'tracer/jit': FRONT + rooms('tracer', 'base'),
    'tracer/base': FRONT,
    'tracer/keeper': KEEPER + rooms('tracer/keeper', 'sites', 'copies', 'threads', 'fire',
                                    'python', 'inject', 'space', 'undo', 'frames', 'mapped',
                                    'cpu', 'os'),
    'tracer/keeper/copies': KEEPER + rooms('tracer/keeper', 'threads', 'fire', 'inject', 'space',
                                           'os'),
    'tracer/keeper/sites': KEEPER + rooms('tracer/keeper', 'threads', 'fire', 'inject', 'space',
                                          'undo', 'os'),
    'tracer/keeper/threads': KEEPER + rooms('tracer/keeper', 'fire', 'inject', 'space', 'undo',
                                            'cpu', 'os'),
    'tracer/keeper/python': KEEPER + rooms('tracer/keeper', 'space', 'os'),
    'tracer/keeper/fire': KEEPER + rooms('tracer/keeper', 'python', 'space', 'frames', 'mapped', 'os'),
    'tracer/keeper/inject': KEEPER + rooms('tracer/keeper', 'space', 'undo', 'os'),
    'tracer/keeper/space': KEEPER + rooms('tracer/keeper', 'undo', 'frames', 'mapped', 'os'),
    'tracer/keeper/undo': KEEPER + rooms('tracer/keeper', 'os'),
    'tracer/keeper/frames': KEEPER + rooms('tracer/keeper', 'os'),
    'tracer/keeper/mapped': KEEPER,
    'tracer/keeper/cpu': KEEPER + rooms('tracer/keeper', 'os'),
    'tracer/keeper/os': KEEPER,
    'hook': DISASM + COMMON,
    'hook/resident': ['hook/resident.h'] + VM_FORMATS + BASE,
    'hook/trap': ['hook/undo_log.h', 'hook/resident/sys.h'] + BASE,
    'dlang': COMMON + rooms('dlang', 'base', 'parse', 'check', 'gen'),
    'dlang/gen': DLANG + COMMON + rooms('dlang', 'base', 'check'),
    'dlang/check': DLANG + COMMON + rooms('dlang', 'base'),
    'dlang/parse': DLANG + COMMON + rooms('dlang', 'base'),
    'dlang/base': DLANG + COMMON,
    'symbols': BASE + HOST + rooms('symbols', 'elf', 'dwarf', 'types', 'notes'),
    'symbols/notes': SYMBOLS + BASE + HOST + rooms('symbols', 'elf'),
    'symbols/types': SYMBOLS + BASE + HOST + rooms('symbols', 'elf', 'dwarf'),
    'symbols/dwarf': SYMBOLS + BASE + HOST + rooms('symbols', 'elf'),
    'symbols/elf': SYMBOLS + BASE + HOST,
    'disasm': BASE + HOST,
    'vm': BASE,
    'vm/native': VM_FORMATS + BASE + HOST + rooms('vm', 'run', 'agg', 'block'),
    'vm/subr': VM_FORMATS + BASE + rooms('vm', 'run', 'agg', 'block'),
    'vm/run': VM_FORMATS + BASE + rooms('vm', 'image', 'agg', 'block'),
    'vm/image': VM_FORMATS + BASE,
    'vm/agg': VM_FORMATS + BASE + rooms('vm', 'block'),
    'vm/block': VM_FORMATS + BASE,
    'vm/base/proc': BASE + ['vm/base/host/*'],
    'vm/base/text': BASE + ['vm/base/host/*'],
    'vm/base/host': BASE,
    'vm/base': [],
}

# Hosted files in a folder that is otherwise freestanding as well.
HOSTED_FILES = {'vm/image/dump.c': HOST}

# pattern of a system header: pattern of the only files that may include it
FOREIGN = [
    (r'capstone/.*', 'disasm/decode.c'),
    (r'(libelf|gelf|nlist)\.h', r'(symbols/dwarf/(file|dwo)|tracer/object)\.c'),
    (r'(elfutils/.*|dwarf\.h|libdw.*)',
     r'symbols/dwarf/(internal\.h|(eh_frame|file|entries|attributes|lines|location|paths|split)\.c)'),
    (r'n?curses\.h', 'tracer/live/top.c'),
    (r'lzma\.h', 'symbols/elf/minidebug.c'),
    (r'(libiberty/)?demangle\.h', 'symbols/elf/demangle.c'),
    (r'libunwind.*', 'tests/.*'),
    (r'jansson\.h', r'(tracer/export/json|cmd/diff_(table|stacks))\.c'),
    (r'event-parse\.h', 'tracer/events/event_format.c'),
    (r'zstd\.h', r'(tracer/recording/read/unpack|symbols/elf/compressed)\.c'),
    (r'microhttpd\.h', 'tracer/export/http_library.h'),
    (r'(profile\.pb-c|protobuf-c/.*)\.h', 'tracer/pictures/profile.c'),
    (r'zlib\.h', r'(tracer/pictures/profile|symbols/elf/compressed)\.c'),
    (r'(sys|linux)/ptrace\.h', 'tracer/keeper/os/ptrace.c'),
]

# folder: [(files of a circle of includes, why it is one)]
CIRCLES = {
}

FREESTANDING = {'stdint.h', 'stddef.h', 'stdbool.h', 'stdarg.h', 'stdatomic.h'}
FREESTANDING_FOLDERS = ('vm', 'vm/block', 'vm/agg', 'vm/image', 'vm/run', 'vm/subr',
                        'vm/base', 'hook/resident', 'hook/trap')

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def matches(name, rules):
    for rule in rules:
        if rule.endswith('/*'):
            if os.path.dirname(name) == rule[:-2]:
                return True
        elif '*' in rule:
            if re.fullmatch(re.escape(rule).replace(r'\*', '[^/]*'), name):
                return True
        elif name == rule:
            return True
    return False


def node(path):
    """The node of the folder graph that the file belongs to."""
    folder = os.path.dirname(path)
    if matches(path, INTERFACES.get(folder, [])):
        return folder + ' (interface)'
    return folder


def check_ours(root, path, name):
    folder = os.path.dirname(path)
    if not os.path.exists(os.path.join(root, name)):
        return 'includes "%s", which is not a path from the top' % name
    if os.path.dirname(name) == folder:
        return None
    if folder not in FLOORS:
        return 'folder %s has no floor in tests/gates/includes.py' % folder
    if matches(name, FLOORS[folder] + HOSTED_FILES.get(path, [])):
        return None
    return 'includes "%s": %s/ may not see it' % (name, folder)


def check_system(path, name):
    for pattern, owner in FOREIGN:
        if re.fullmatch(pattern, name) and not re.fullmatch(owner, path):
            return 'includes <%s>: only %s may' % (name, owner)
    folder = os.path.dirname(path)
    if folder in FREESTANDING_FOLDERS and path not in HOSTED_FILES \
            and name not in FREESTANDING:
        return 'includes <%s>: freestanding code has only %s' % (
            name, ' '.join(sorted(FREESTANDING)))
    return None


class Graph:
    """Who includes whom: of folders, and of the files of each folder."""

    def __init__(self):
        self.folders = {}
        self.files = {}

    def add(self, path, name):
        a, b = node(path), node(name)
        if a != b:
            self.folders.setdefault(a, {}).setdefault(b, '%s includes %s' % (path, name))
        folder = os.path.dirname(path)
        a, b = re.sub(r'\.[chS]$', '', path), re.sub(r'\.[chS]$', '', name)
        if folder == os.path.dirname(name) and a != b:
            edges = self.files.setdefault(folder, {}).setdefault(os.path.basename(a), {})
            edges.setdefault(os.path.basename(b), '%s includes %s' % (path, name))


def components(edges):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges.get(v, {}):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(edges):
        if v not in index:
            visit(v)
    return found


def edges_within(edges, members):
    return sorted(why for a in members for b, why in edges.get(a, {}).items() if b in members)


def check_circles(graph):
    problems = []
    for members in components(graph.folders):
        problems.append('folders in a circle: %s\n  %s' % (
            ', '.join(members), '\n  '.join(edges_within(graph.folders, members))))
    for folder, edges in sorted(graph.files.items()):
        known = [sorted(files.split()) for files, _ in CIRCLES.get(folder, [])]
        for members in components(edges):
            if members not in known:
                problems.append('%s: files in a circle: %s\n  %s' % (
                    folder, ' '.join(members), '\n  '.join(edges_within(edges, members))))
            else:
                known.remove(members)
        problems += ['%s: CIRCLES names a circle that is not there: %s' % (
            folder, ' '.join(members)) for members in known]
    return problems


def check_file(root, path, graph):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        text = f.read()
    problems = []
    text = re.sub(r'/\*.*?\*/', lambda c: re.sub(r'[^\n]', ' ', c.group()), text, flags=re.S)
    for m in INCLUDE.finditer(text):
        if m.group(1) == '"':
            problem = check_ours(root, path, m.group(2))
            graph.add(path, m.group(2))
        else:
            problem = check_system(path, m.group(2))
        if problem:
            line = text.count('\n', 0, m.start()) + 1
            problems.append('%s:%d: %s' % (path, line, problem))
    if path.startswith('hook/resident/') and path != 'hook/resident/machine_x86_64.h' \
            and re.search(r'asm[^;]*"[^"]*\bsyscall\b', text):
        problems.append('%s: makes a raw system call: only hook/resident/machine_x86_64.h may' % path)
    return problems


def main():
    root = sys.argv[1]
    problems, files, graph = [], 0, Graph()
    for top in sorted({folder.split('/')[0] for folder in FLOORS}):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            sources = sorted(n for n in names if n.endswith(('.c', '.h', '.S', '.def')))
            for name in sources:
                path = os.path.relpath(os.path.join(folder, name), root)
                problems += check_file(root, path, graph)
            files += len(sources)
            count = sum(name.endswith(('.c', '.h')) for name in sources)
            if count > FILES_MAX:
                problems.append('%s: %d C files, at most %d: split it into rooms' % (
                    os.path.relpath(folder, root), count, FILES_MAX))
    problems += check_circles(graph)
    print('\n'.join(problems) if problems else
          'includes of %d files go down; no circle of folders' % files)
    return 1 if problems or not files else 0


if __name__ == '__main__':
    sys.exit(main())
