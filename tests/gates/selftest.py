#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The gates find what they are for: each fault is planted and must be reported."""
import os
import shutil
import subprocess
import sys
import tempfile

import documents
import manual
import named
import processes
import shared

HERE = os.path.dirname(os.path.abspath(__file__))
RESIDENT_GATE = os.path.join(HERE, '../../hook/resident/gates.sh')
TOP = os.path.join(HERE, '../..')
LICENCE = '/* SPDX-License-Identifier: MIT */\n'
LONG = 'int f(void)\n{\n' + '\tg();\n' * 57 + '}\n'

# gate, file, text, what it must say (None: it must pass)
SOURCES = [
    ('includes', 'vm/a.c', '#include "vm/base/x.h"\n#include <stdint.h>\n', None),
    ('includes', 'vm/a.c', '#include "vm/base/host/y.h"\n', 'vm/a.c:2: includes'),
    ('includes', 'vm/a.c', '/* "\n#include "vm/base/host/y.h"\n*/\n', None),
    ('includes', 'vm/a.c', '#include <stdio.h>\n', 'freestanding code has only'),
    ('includes', 'vm/base/a.c', '#include "vm/isa.h"\n', 'may not see it'),
    ('includes', 'vm/base/x.h', '#include "vm/base/w.h"\n', 'files in a circle: w x'),
    ('includes', 'vm/base/host/a.c', '#include <stdio.h>\n', None),
    ('includes', 'dlang/a.c', '#include "symbols/symbols.h"\n', 'may not see it'),
    ('includes', 'dlang/a.c', '#include "vm/isa.h"\n', None),
    ('includes', 'dlang/a.c', '#include "nosuch.h"\n', 'not a path from the top'),
    ('includes', 'tracer/a.c', '#include "symbols/symbols.h"\n', None),
    ('includes', 'tracer/a.c', '#include "symbols/private.h"\n', 'may not see it'),
    ('includes', 'tracer/a.c', '#include <sys/ptrace.h>\n', 'tracer/keeper/os/ptrace.c may'),
    ('includes', 'tracer/keeper/os/ptrace.c', '#include <sys/ptrace.h>\n', None),
    ('includes', 'disasm/scan.c', '#include <capstone/capstone.h>\n', 'disasm/decode.c may'),
    ('includes', 'hook/resident/a.c', '#include "vm/base/host/y.h"\n', 'may not see it'),
    ('includes', 'hook/resident/a.c', 'void f(void) { __asm__("syscall"); }\n',
     'raw system call'),
    ('shape', 'vm/a.c', LONG, None),
    ('shape', 'fuzz_moved.last', 'x', 'does not belong to the top level'),
    ('shape', 'vm/a.c', LONG.replace('}', '\tg();\n}'), 'f: 61 lines'),
    ('shape', 'vm/a.c', 'int f(int a, int b, int c, int d, int e)\n{\n}\n', None),
    ('shape', 'vm/a.c', 'int f(int a, int b, int c, int d, int e, int g)\n{\n}\n',
     '6 parameters'),
    ('shape', 'vm/a.c', 'int f(int (*a)(int, int, int), int b)\n{\n}\n', None),
    ('shape', 'vm/a.c', 'int f(void)\n{\nif(1){for(;;){if(1){g();}}}\n}\n', None),
    ('shape', 'vm/a.c', 'int f(void)\n{\nif(1){for(;;){if(1){do{}while(1);}}}\n}\n',
     'nesting 4'),
    ('shape', 'vm/a.c', 'int f(void)\n{\nstatic int x[1][1][1][1] = {{{{1}}}};\n}\n', None),
    ('shape', 'vm/a.c', 'int f(void)\n{\nchar *s = "{{{{{{"; /* }}}} */\n}\n', None),
    ('shape', 'vm/a.c', 'int f(void) { return 1; } /*' + ' ' * 70 + '*/\n', '100 columns'),
    ('shape', 'vm/a.c', 'int f(void)\n{\n}\n' + '\n' * 800, 'at most 800'),
]

# the files of a tree, what the gate of names must say
NAMED = [
    ({'vm/subr.def': 'SUBR(strlen, "size_t")\n', 'tests/d/x/tst.a.d': 'strlen(x)'}, None),
    ({'vm/subr.def': 'SUBR(strlen, "size_t")\n', 'tests/d/x/err.a.d': 'strlen(x)'},
     'no tst test names strlen'),
    ({'tracer/base/options.def': 'OPTION(cpu, NUMBER)\n', 'tests/d/x/tst.a.d': 'cpu'},
     'no tst or err test names cpu'),
    ({'tracer/base/options.def': 'OPTION(cpu, NUMBER)\n', 'tests/d/x/tst.a.d': '-x cpu=1'}, None),
    ({'vm/builtin.def': 'BUILTIN(curpsinfo_pgid, "pid_t")\n',
      'tests/d/x/tst.a.d': 'curpsinfo->pr_pgid'}, None),
    ({'vm/ops.def': 'OP(ADD, D_R_R, "")\n', 'tests/unit/vm/a.c': 'I(ADD, 0)'}, None),
    ({'vm/ops.def': 'OP(ADD, D_R_R, "")\n', 'tests/unit/vm/a.c': 'I(ADDI, 0)'},
     'no unit test names ADD'),
    ({'dlang/a.c': '"D_A"', 'tests/d/x/err.D_A.a.d': '', 'tests/gates/errtags.txt': 'D_A'}, None),
    ({'dlang/a.c': '"D_A"', 'tests/gates/errtags.txt': 'D_A'}, 'D_A has no test'),
    ({'dlang/a.c': '"D_A"', 'tests/d/x/err.D_A.a.d': ''}, 'D_A is not in'),
    ({'tests/gates/errtags.txt': 'D_A'}, 'D_A has no test'),
    ({'tests/gates/errtags.txt': 'D_A never x\nD_B later y'}, None),
    ({'tests/gates/errtags.txt': 'D_A never x', 'tests/d/x/err.D_A.a.d': ''}, 'D_A does occur'),
]

TREE = {
    'tests/d/a/tst.b.d': '/* of a process */ pid$target:::entry {}',
    'tests/d/a/tst.c.d': 'BEGIN {}',
    'tests/unit/a/b.c': 'static void test_c(void **state)',
    'tests/unit/keeper/stop.c': '{"hit", 1}',
    'tests/real/e.py': 'print("f\\ng")',
    'tests/CMakeLists.txt': 'cases(real real/e.py 120)\n',
}
# a table of behaviours, what its gate must say
BEHAVIOURS = [
    ('## 1\nx | it is so | d.a.tst.b unit.a_b.c stop."hit" e.f pairs.d.a.tst.b', None),
    ('## 1\nx | it is so | d.a.tst.x', 'no test d.a.tst.x'),
    ('## 1\nx | it is so | unit.a_b.d', 'no test unit.a_b.d'),
    ('## 1\nx | it is so | unit.a_c.c', 'no test unit.a_c.c'),
    ('## 1\nx | it is so | stop."hits"', 'no test stop."hits"'),
    ('## 1\nx | it is so | e.h', 'no test e.h'),
    ('## 1\nx | it is so | pairs.f', 'no test pairs.f'),
    ('## 1\nx | it is so | pairs.d.a.tst.c', 'no test pairs.d.a.tst.c'),
    ('## 1\nx | it is so |', 'NAME | sentence | tests'),
    ('## 1\n## 2\nx | it is so | e.f', '1: no rows'),
    ('## 1\nx | it is so | e.f\n## 2\n', '2: no rows'),
    ('## 1\nx | it is so | e.f\nx | and so | e.g', 'x stands twice'),
    ('', 'the table is empty'),
]

# a README in a/, what its gate must say
DOCUMENTS = [
    ('`b.c` `a/b.c` `a/` `c/d.h` `../c/d.h` [d](../c/d.h)', None),
    ('`d.h`', 'a/README.md:1: there is no file d.h'),
    ('`e/`', 'there is no file e/'),
    ('[d](d.h)', 'there is no file d.h'),
    ('`cc a/b.c -o x` `pid$target:a/b:` `<sys/stat.h>` `/proc/self/maps` `build/x.c`', None),
    ('`cc a/e.c -o x`', 'there is no file a/e.c'),
    ('`c/NAME.h` `{a,c}/` `c/*.h` `b.{c,c}`', None),
    ('`c/NAME.c`', 'there is no file c/NAME.c'),
    ('`b.{c,h}`', 'there is no file b.h'),
    ('`f()` `g()` `strlen()`', None),
    ('`h()`', 'no source has a function h()'),
    ('`in_comment()`', 'no source has a function in_comment()'),
    ('text:\n\n    b.c     begins\n    f() -> g()\n    word e.c\n', None),
    ('text:\n\n    e.c     begins\n', 'a/README.md:3: there is no file e.c'),
    ('```\nx --> h()\n```', 'a/README.md:2: no source has a function h()'),
    ('d.h without quotes, h() as well', None),
]

# a file of the tree, what is replaced there by what, what the gate of shared words must say
SHARED = [
    (shared.LIST, '', '', None),
    ('vm/block/layout.h', 'struct own_time own_time;', 'struct own_time own_time;\n\tuint64_t n[2];',
     'names slot.n 0 times'),
    ('vm/state.h', '_Atomic uint64_t stacks;', '', 'there is no state_drops.stacks'),
    (shared.LIST, '`slot.updated`', '`slot.updated`, `slot.tail`', 'names slot.tail 2 times'),
    ('vm/own_time.h', 'struct own_time {', 'struct other {', 'no struct own_time'),
]

MANUAL = {
    'cmd/opts.c': '#define SWITCHES "-:3:6:c:q"\n{"top", no_argument, NULL, 0}',
    'tracer/base/options.def': 'OPTION(cpu, NUMBER, RUN, "4", WORKS, NULL)\n'
                               'OPTION(quiet, BOOL, RUN, NULL, WORKS, NULL)\n',
}
OPTION_LINES = ('.It Fl c Ar x', '.It Fl q , Fl -top', '.It Fl 32 , Fl 64')
X_LINES = ('.It Cm cpu Ns = Ns Ar number Pq Ql 4 , Cm quiet',)
# lines of both sections of dtrace.1, what its gate must say
MANUALS = [
    (OPTION_LINES, X_LINES, None),
    (OPTION_LINES[1:], X_LINES, 'dtrace.1 does not document -c'),
    (OPTION_LINES + ('.It Fl y',), X_LINES, 'dtrace.1 documents -y, which'),
    ((OPTION_LINES[0], '.It Fl q', OPTION_LINES[2]), X_LINES, 'does not document --top'),
    (OPTION_LINES, (), 'does not document -x cpu'),
    (OPTION_LINES, X_LINES + ('.It Cm y',), 'documents -x y, which'),
    (OPTION_LINES, ('.It Cm cpu Pq Ql 5 , Cm quiet',), 'another initial value of -x cpu than 4'),
]

# a file, whether the gate of the format passes
FORMATS = [
    ('int f(void)\n{\n\treturn 1;\n}\n', True),
    ('int f(void)\n{\n        return 1;\n}\n', False),
    ('int f(void) {\n\treturn 1;\n}\n', False),
]

FLAGS = ['-ffreestanding', '-fno-builtin', '-nostdlib', '-static', '-O2',
         '-Wl,--build-id=none', '-Wl,-e,f', '-fcf-protection=none', '-mno-red-zone']
IMAGES = [
    (['-mgeneral-regs-only'], 'int f(int x) { return x + 1; }', None),
    (['-mgeneral-regs-only', '-Wl,-r'], 'int g(int); int f(int x) { return g(x) + 1; }',
     'undefined symbols'),
    (['-fPIC', '-shared'], 'int x; int *f(void) { static int *p = &x; return p; }',
     'relocations'),
    (['-mgeneral-regs-only'], '__thread int x; int f(void) { return x; }', 'thread-local'),
    ([], 'int f(double *x) { return (int)(*x + 1); }', 'vector or floating'),
    (['-mgeneral-regs-only'], 'int x; int f(void) { return x++; }', 'writable'),
    ([], 'void f(long double *x) { *x = *x * *x; }', 'vector or floating'),
]


def run(command):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       check=False)
    return p.returncode, p.stdout


def run_gate(gate, argument):
    exceptions = [os.devnull] if gate == 'shape' else []
    return run([sys.executable, os.path.join(HERE, gate + '.py'), argument] + exceptions)


def verdict(what, status, output, fault):
    if fault is None and status == 0:
        return 0
    if fault is not None and status == 1 and fault in output:
        return 0
    print('%s\nexpected %s, got status %d and:\n%s' % (what, fault or 'no fault', status, output))
    return 1


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), 'w', encoding='utf-8') as f:
        f.write(text)


def check_source(gate, path, text, fault):
    with tempfile.TemporaryDirectory() as root:
        for header in ('vm/base/x.h', 'vm/base/host/y.h', 'vm/isa.h', 'symbols/symbols.h',
                       'symbols/private.h'):
            write(root, header, LICENCE)
        write(root, 'vm/base/w.h', LICENCE + '#include "vm/base/x.h"\n')
        # the gate of function length wants at least one, short, function
        write(root, 'vm/base/z.c', LICENCE + 'int z(void)\n{\n}\n' * 20)
        write(root, path, LICENCE + text)
        return verdict(text[:200], *run_gate(gate, root), fault)


def check_names(files, fault):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            write(root, path, text)
        faults = list(named.unnamed_rows(root)) + list(named.tag_faults(root))
        return verdict(files, 1 if faults else 0, '\n'.join(faults), fault)


def check_behaviours(table, fault):
    with tempfile.TemporaryDirectory() as root:
        for path, text in TREE.items():
            write(root, path, text)
        write(root, 'table.txt', table)
        faults = list(processes.faults(root, os.path.join(root, 'table.txt')))
        return verdict(table, 1 if faults else 0, '\n'.join(faults), fault)


def check_documents(text, fault):
    with tempfile.TemporaryDirectory() as root:
        write(root, 'a/b.c', '/* in_comment() */ int f(void) { return g(); }')
        write(root, 'c/d.h', '')
        write(root, 'c/subr.def', 'SUBR(strlen, "size_t")')
        write(root, 'a/README.md', text)
        faults = list(documents.faults(root))
        return verdict(text, 1 if faults else 0, '\n'.join(faults), fault)


def check_shared(path, before, after, fault):
    with tempfile.TemporaryDirectory() as root:
        for each in [shared.LIST, *shared.SHARED]:
            with open(os.path.join(TOP, each), encoding='utf-8') as f:
                text = f.read()
            assert each != path or before in text
            write(root, each, text.replace(before, after, 1) if each == path else text)
        faults = list(shared.faults(root))
        return verdict((path, after), 1 if faults else 0, '\n'.join(faults), fault)


def check_manual(switches, options, fault):
    with tempfile.TemporaryDirectory() as root:
        for path, text in MANUAL.items():
            write(root, path, text)
        write(root, 'cmd/man/dtrace.1', '\n'.join(('.Sh OPTIONS', *switches,
                                                   '.Sh RUN-TIME OPTIONS', *options, '')))
        faults = list(manual.options(root))
        return verdict((switches, options), 1 if faults else 0, '\n'.join(faults), fault)


def check_format(text, passes):
    """A version of clang-format that does not decide skips the gate (77)."""
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(os.path.join(TOP, '.clang-format'), root)
        write(root, 'a/b.c', text)
        status, output = run_gate('format', root)
        if status == 77 and output.startswith('skipped'):
            return 0
        return verdict(text, status, output, None if passes else '1 files')


def check_licence():
    with tempfile.TemporaryDirectory() as root:
        write(root, 'vm/a.c', 'int f(void)\n{\n}\n')
        return verdict('no licence', *run_gate('shape', root), 'licence line is missing')


def check_image(flags, text, fault):
    with tempfile.TemporaryDirectory() as root:
        write(root, 'a.c', text)
        image = os.path.join(root, 'a.elf')
        subprocess.run(['cc'] + FLAGS + flags + ['-o', image, os.path.join(root, 'a.c')],
                       check=True)
        return verdict(text, *run(['sh', RESIDENT_GATE, image]), fault)


def main():
    failures = sum(check_source(*case) for case in SOURCES) + check_licence()
    failures += sum(check_names(*case) for case in NAMED)
    failures += sum(check_behaviours(*case) for case in BEHAVIOURS)
    failures += sum(check_documents(*case) for case in DOCUMENTS)
    failures += sum(check_shared(*case) for case in SHARED)
    failures += sum(check_manual(*case) for case in MANUALS)
    failures += sum(check_format(*case) for case in FORMATS)
    failures += sum(check_image(*case) for case in IMAGES)
    tables = (SOURCES, NAMED, BEHAVIOURS, DOCUMENTS, SHARED, MANUALS, FORMATS, IMAGES)
    print('%d cases, %d wrong' % (sum(len(table) for table in tables) + 1, failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
