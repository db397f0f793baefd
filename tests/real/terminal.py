#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of a program that chooses them to control the terminal: nothing of what dtrace
prints does."""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

PLACE = b'CONTROLBYTES_X'
HOSTILE = b'\x1b[2J\x07\r\x08\x7f\x9b\xc2\x9b\xe2\x80\xae'
SHOWN = r'\033[2J\007\015\010\177\233\302\233\342\200\256'
BROKEN = HOSTILE.replace(b'\x08', b'\n')
OBEYED = re.compile('[\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\u061c\u200e\u200f\u2028-\u202e'
                    '\u2066-\u2069]')
FUNCTION = 'fpid$target:a.out:function*:entry'


def run(arguments, status, folder):
    """A run of dtrace that prints nothing that a terminal obeys. All that it prints."""
    p = subprocess.run([harness.DTRACE, *arguments], cwd=folder, timeout=60, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, encoding='utf-8', errors='surrogateescape')
    harness.check(p.returncode == status, '%s: status %d: %r', arguments, p.returncode, p.stdout)
    obeyed = OBEYED.search(p.stdout)
    if obeyed:
        raise harness.Failure('%s: %r' % (
            arguments, p.stdout[max(0, obeyed.start() - 100):obeyed.end() + 100]))
    return p.stdout


class Program:
    """The program escaping, with bytes in the place of a part of all names."""

    def __init__(self, hostile=HOSTILE, name=HOSTILE):
        self.hostile, self.name = hostile, name

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='terminal-')
        self.path = os.path.join(self.folder.name.encode(), b'prog_' + self.name)
        with open(harness.target('escaping'), 'rb') as f:
            content = f.read()
        harness.check(content.count(PLACE) > 10 and len(self.hostile) == len(PLACE),
                      'no places for names')
        with open(self.path, 'wb') as f:
            f.write(content.replace(PLACE, self.hostile))
        os.chmod(self.path, 0o755)
        return self

    def __exit__(self, *_):
        for path in glob.glob('/tmp/perf-*.map'):  # those of our programs alone
            with open(path, 'rb') as f:
                if b'made_' in f.read():
                    os.unlink(path)
        self.folder.cleanup()

    def run(self, *arguments, status=0):
        return run([*arguments, b'--', self.path], status, self.folder.name)


def shows(*arguments, status=0, prefix='function_', options=()):
    with Program() as program:
        text = program.run(*options, *arguments, status=status)
    harness.check(prefix + SHOWN in text, '%s does not show %s: %s', arguments, prefix, text)
    return text


def keys():
    """Keys and values of strings, wide and narrow."""
    program = FUNCTION + ' { @[probemod, probefunc, execname, copyinstr(arg0 + 4)] = %s; }'
    for name in 'prog_', 'function_', 'text_':
        shows('-n', program % 'count()', prefix=name)
    shows('-x', 'agghist', '-n', program % 'count()')
    shows('-x', 'aggpack', '-n', program % 'quantize(1)')
    shows('-n', FUNCTION + ' { trace(probefunc); trace(copyinstr(arg0 + 4)); }', prefix='text_')
    shows('-n', FUNCTION + ' { printf("%#-80s%#.99s\\n", probefunc, execname); }')


def stacks():
    """Stacks, with lines and inlined functions, folded, of generated code; single names."""
    probe = 'pid$target:a.out:own_probe:entry '
    lined = ('-x', 'ustackline', '-x', 'ustackinline')
    for name in 'prog_', 'function_', 'inlined_', 'source_':
        shows(*lined, '-n', probe + '{ ustack(6); @[ustack(6)] = count(); }', prefix=name)
    probe = 'pid$target:a.out:called_by_made:entry '
    with Program() as program:
        for text in (program.run('-n', probe + '{ @[ustack(4)] = count(); usym(ucaller); '
                                 'ufunc(ucaller); umod(ucaller); uaddr(ucaller); '
                                 'printf("%a %A", ucaller, ucaller); printa("%k", @); }'),
                     program.run('-x', 'stackformat=folded', '-n', probe + '{ ustack(); }')):
            harness.check(r'`made_\x1b[2J' in text, '%s', text)
    shows('-n', FUNCTION + ' { @[usym(arg0 - arg0 + uregs[R_PC]), umod(uregs[R_PC]), '
          'uaddr(uregs[R_PC])] = count(); printf("%a", uregs[R_PC]); }')


def lists():
    """-l, -lv, -v, -F, --explain, -x overhead, -x check, -S, -x tree."""
    every = 'fpid$target:a.out::entry, fpid$target:a.out::return '
    for options in (['-l'], ['-lv'], ['-F'], ['-x', 'overhead'], []):
        shows('-n', every, options=options)
    shows('--explain', 'fpid$target:a.out:function*:')
    shows('-lvn', 'pid$target:a.out:function*:entry', prefix='type_')
    shows('-lvn', 'pid$target:a.out:inlined*:inlined', prefix='inlined_')
    with Program() as program:
        program.run('-x', 'check', '-n', every + '{ @[probefunc] = count(); }')
        program.run('-Svx', 'tree=0x1f', '-n', every + '{ @[probefunc] = count(); }')


def values():
    """print(): types, members, enumerators."""
    text = shows('-n', FUNCTION + ' { print(*args[0]); }', prefix='member_')
    harness.check('enumerator_' + SHOWN in text and 'type_' + SHOWN in text, '%s', text)


def messages():
    """Errors and notices that name what is in the program."""
    shows('-n', 'fpid$target:a.out:unused*:entry', prefix='unused_')
    shows('-n', 'fpid$target:a.out:functio:entry', prefix='prog_', status=1)
    shows('-n', 'fpid$target:a.out:inlined*:entry', prefix='inlined_', status=1)
    shows('-n', FUNCTION + ' { trace(args[0]->none); }', prefix='type_', status=1)
    shows('-n', FUNCTION + ' { trace(*(int *)0); }')
    shows('-wn', FUNCTION + ' { freopen("/nonexistent/%s", copyinstr(arg0 + 4)); }', prefix='text_')
    shows('-wn', FUNCTION + ' { dump("/nonexistent/%s", copyinstr(arg0 + 4)); }', prefix='text_',
          status=1)
    shows('-wn', FUNCTION + ' { setopt(copyinstr(arg0 + 4), probefunc); }', prefix='text_')
    text = shows('-n', 'escaping$target:::', prefix='prog_', status=1)
    harness.check('are damaged: 1' in text, '%s', text)


def tools():
    """What tools print of names."""
    for tool in 'topfunc', 'funcargs', 'funccount', 'funclatency':
        shows('-s', tool)
    with Program() as program:
        harness.check(SHOWN in program.run('-s', 'threads'), 'no name of the thread')
        harness.check('prog_' + SHOWN in program.run('-s', 'callers'), 'no callers')


def recordings():
    """A run on a recording."""
    with Program() as program:
        program.run('-E', 'made.data', '-n', FUNCTION + ' { ustack(); }')
        for arguments in (['-l'], ['-n', 'fpid*::function*:entry { @[probefunc, ustack()] = '
                                   'count(); trace(execname); }']):
            text = run(['-E', 'made.data', *arguments], 0, program.folder.name)
            harness.check('function_' + SHOWN in text, '%s', text)


def kernel_addresses():
    """%a of an address of the kernel: its function, as stack() and sym() have it."""
    with open('/proc/kallsyms', encoding='utf-8') as f:
        address = next((int(line.split()[0], 16) for line in f
                        if line.endswith(' T ksys_readahead\n')), 0)
    if not address:
        raise harness.Skipped('the addresses of the kernel are hidden here')
    result = harness.run([harness.DTRACE, '-qn', 'BEGIN { @[0x%xull + 8] = count(); '
                          'printf("%%a %%A %%a\\n", 0x%xull, 0x%xull, 16); printa("%%a\\n", @); '
                          'exit(0); }' % (address, address, address + 4)])
    name = 'vmlinux`ksys_readahead'
    harness.check(result.out.strip() == '%s %s+0x4 0x10\n%s+0x8' % (name, name, name), '%s', result)


def newlines():
    """A newline in a name begins no line."""
    shown = SHOWN.replace(r'\010', r'\012')
    with Program(BROKEN) as program:
        for arguments in (['-ln', 'fpid$target:a.out::entry'],
                          ['-Fn', 'fpid$target:a.out::entry'],
                          ['-n', FUNCTION],
                          ['-n', FUNCTION + ' { ustack(); @[usym(uregs[R_PC])] = count(); }'],
                          ['-n', FUNCTION + ' { printf("%#s", probefunc); }'],
                          ['-s', 'topfunc']):
            text = program.run(*arguments)
            harness.check('function_' + shown in text and '\x1b' not in text, '%s: %s', arguments,
                          text)


harness.main({
    'keys': keys,
    'stacks': stacks,
    'lists': lists,
    'values': values,
    'messages': messages,
    'tools': tools,
    'recordings': recordings,
    'newlines': newlines,
    'kernel_addresses': kernel_addresses,
})
