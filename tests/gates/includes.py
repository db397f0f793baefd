#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An #include may only go down: checks every #include of the product.

  includes.py SOURCE_ROOT

The rules are the tables below. FLOORS: what a folder may include, the folder itself
always being allowed; the longest matching folder counts. PUBLIC: which headers of a
folder others may see. FOREIGN: each foreign library is seen by one file.
"""
import os
import re
import sys

# Formats of data and the interface of the machine; the rest of vm/ is private.
VM_FORMATS = ['vm/isa.h', 'vm/program.h', 'vm/state.h', 'vm/record.h', 'vm/ring.h',
              'vm/agg.h', 'vm/env.h', 'vm/tuple.h', 'vm/vm.h', 'vm/*.def']
BASE = ['vm/base/*']
HOST = ['vm/base/host/*']

# folder: what it may include from other folders
FLOORS = {
    'cmd': ['tracer/tracer.h'] + BASE + HOST,
    'tracer': ['tracer/keeper/keeper.h', 'hook/hook.h', 'hook/target.h',
               'hook/resident.h', 'disasm/disasm.h', 'symbols/symbols.h', 'symbols/types.h',
               'dlang/dlang.h', 'dlang/typesrc.h'] + VM_FORMATS + BASE + HOST,
    'tracer/keeper': ['tracer/link.h', 'hook/hook.h', 'hook/target.h', 'hook/resident.h',
                      'hook/trampoline.h', 'hook/nearmem.h', 'disasm/disasm.h'] + VM_FORMATS + BASE + HOST,
    'hook': ['disasm/disasm.h'] + VM_FORMATS + BASE + HOST,
    'hook/resident': ['hook/resident.h'] + VM_FORMATS + BASE,
    'dlang': VM_FORMATS + BASE + HOST,
    'symbols': BASE + HOST,
    'disasm': BASE + HOST,
    'vm': BASE,
    'vm/base/host': BASE,
    'vm/base': [],
}

# Hosted files in a folder that is otherwise freestanding as well.
HOSTED_FILES = {'vm/dump.c': HOST, 'vm/dump.h': HOST}

# pattern of a system header: pattern of the only file (or two) that may include it
FOREIGN = [
    (r'capstone/.*', 'disasm/decode.c'),
    (r'(libelf|gelf|nlist)\.h', 'symbols/elf.c'),
    (r'(elfutils/.*|dwarf\.h|libdw.*)', r'symbols/dwarf(_(file|attrs|entries))?\.c|symbols/dwarf_own\.h'),
    (r'lzma\.h', 'symbols/minidebug.c'),
    (r'(libiberty/)?demangle\.h', 'symbols/demangle.c'),
    (r'libunwind.*', 'tests/.*'),
    (r'(sys|linux)/ptrace\.h', 'tracer/keeper/ptrace.c'),
]

FREESTANDING = {'stdint.h', 'stddef.h', 'stdbool.h', 'stdarg.h', 'stdatomic.h'}
FREESTANDING_FOLDERS = ('vm', 'vm/base', 'hook/resident')

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def allowed(name, rules):
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


def check_ours(root, path, name):
    folder = os.path.dirname(path)
    if not os.path.exists(os.path.join(root, name)):
        return 'includes "%s", which is not a path from the top' % name
    if os.path.dirname(name) == folder:
        return None
    if folder not in FLOORS:
        return 'folder %s has no floor in tests/gates/includes.py' % folder
    if allowed(name, FLOORS[folder] + HOSTED_FILES.get(path, [])):
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


def check_file(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        text = f.read()
    problems = []
    text = re.sub(r'/\*.*?\*/', lambda c: re.sub(r'[^\n]', ' ', c.group()), text, flags=re.S)
    for m in INCLUDE.finditer(text):
        problem = check_ours(root, path, m.group(2)) if m.group(1) == '"' \
            else check_system(path, m.group(2))
        if problem:
            line = text.count('\n', 0, m.start()) + 1
            problems.append('%s:%d: %s' % (path, line, problem))
    if path.startswith('hook/resident/') and path != 'hook/resident/sys.h' \
            and re.search(r'asm[^;]*"[^"]*\bsyscall\b', text):
        problems.append('%s: makes a raw system call: only hook/resident/sys.h may' % path)
    return problems


def main():
    root = sys.argv[1]
    problems, files = [], 0
    for top in sorted({folder.split('/')[0] for folder in FLOORS}):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.S', '.def')):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    problems += check_file(root, path)
                    files += 1
    print('\n'.join(problems) if problems else 'includes of %d files go down' % files)
    return 1 if problems or not files else 0


if __name__ == '__main__':
    sys.exit(main())
