#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where names and types come from when the program's file has none; what places in no
function of a file are called, and where stacks from there lead."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Attached  # noqa: E402

DEBUG = '/usr/lib/debug'
# args[0] has a type where the debugging data is found
TYPED = ('pid$target:a.out::entry { @[probefunc] = count(); } '
         'pid$target:a.out:loop:entry { @sum["sum"] = sum(args[0]); @["count"] = count(); }')
COUNTED = 'pid$target:a.out::entry { @[probefunc] = count(); }'
TIMES = 3


def shell(command, *arguments):
    result = subprocess.run(['sh', '-ec', command, 'sh', *arguments], capture_output=True,
                            text=True, check=False)
    harness.check(result.returncode == 0, '%s: %s', command, result.stderr)
    return result.stdout


def separate(name, folder, link=True):
    """A stripped copy of a test program in the folder, and its debug file beside it."""
    path = os.path.join(folder, name)
    shutil.copy(harness.target(name), path)
    shell('objcopy --only-keep-debug "$1" "$1.debug"; strip "$1"; cd "${1%/*}"; '
          'test -z "$2" || objcopy --add-gnu-debuglink="${1##*/}.debug" "$1"',
          path, 'link' if link else '')
    return path


def build_id(path):
    """The name that its debug file has by its build-id."""
    found = re.search(r'Build ID: ([0-9a-f]+)', shell('readelf -n "$1"', path))
    harness.check(found, '%s has no build-id', path)
    return '.build-id/%s/%s.debug' % (found.group(1)[:2], found.group(1)[2:])


def found(path, command=None, is_typed=True):
    """All functions are counted, by name."""
    result = harness.traced(TYPED if is_typed else COUNTED, command or path)
    calls, _ = harness.truth(result.out)
    counted = harness.counts(result.data)
    harness.same_counts(calls, counted, 'entries')
    if is_typed:  # the loops have as many turns: loop(0) to loop(99)
        harness.check(counted.get('sum') == 4950 and counted.get('count') == 100, '%s', counted)


def moved(where):
    """In another folder that the debug link is looked for in."""
    with tempfile.TemporaryDirectory() as folder:
        path = separate('plain', folder)
        os.makedirs(os.path.join(folder, where), exist_ok=True)
        shutil.move(path + '.debug', os.path.join(folder, where, 'plain.debug'))
        found(path)


def wrong():
    """A debug file of another program is not believed."""
    with tempfile.TemporaryDirectory() as folder:
        path = separate('plain', folder)
        separate('plain_O0', folder)
        shutil.move(os.path.join(folder, 'plain_O0.debug'), path + '.debug')
        result = harness.run([harness.DTRACE, '-ln', 'pid$target:a.out:alpha:entry', '-c', path])
        harness.check(result.status == 1 and 'stripped' in result.err, '%s', result)


class WithDebugFolder:
    """dtrace and what it starts see a debug folder of their own, filled by a command."""

    def __init__(self, folder, fill):
        self.path = os.path.join(folder, 'dtrace')
        with open(self.path, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh -e\n'
                    'test "$1" = --inside || exec unshare -m "$0" --inside "$@"\n'
                    'shift; mount -t tmpfs none %s; %s; exec %s "$@"\n' %
                    (DEBUG, fill, harness.DTRACE))
        os.chmod(self.path, 0o755)

    def __enter__(self):
        self.kept, harness.DTRACE = harness.DTRACE, self.path

    def __exit__(self, *_):
        harness.DTRACE = self.kept


def in_debug_folder(kind):
    """By the build-id, or by the link below the path of the program's folder."""
    if subprocess.run(['unshare', '-m', 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
        raise harness.Skipped('no mount namespace can be made here')
    if not os.path.isdir(DEBUG):
        raise harness.Skipped('there is no ' + DEBUG)
    with tempfile.TemporaryDirectory() as folder:
        path = separate('plain', folder, link=kind == 'link')
        kept = os.path.join(folder, 'elsewhere')
        shutil.move(path + '.debug', kept)
        place = os.path.join(DEBUG, build_id(path)) if kind == 'id' else \
            DEBUG + path + '.debug'
        with WithDebugFolder(folder, 'mkdir -p %s; cp %s %s' %
                             (os.path.dirname(place), kept, place)):
            found(path)
    return None


def in_its_root(kind):
    """A debug file that only the program sees, which has another root: by the build-id, by
    the link below the path that the program's folder has in this root, beside it, or where a
    link leads that is absolute there."""
    if os.geteuid():
        raise harness.Skipped('only root may change the root')
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'bin'))
        path = separate('plain_static', os.path.join(folder, 'bin'), link=kind != 'id')
        place = {'id': os.path.join(DEBUG, build_id(path)),
                 'link': DEBUG + '/bin/plain_static.debug',
                 'beside': '/bin/.debug/plain_static.debug', 'linked': '/elsewhere'}[kind]
        os.makedirs(os.path.dirname(folder + place), exist_ok=True)
        shutil.move(path + '.debug', folder + place)
        if kind == 'linked':
            os.symlink(place, path + '.debug')
        found(path, 'chroot %s /bin/plain_static' % folder, is_typed=False)
    return None


def no_table():
    """The table that leads to the unwind data is taken out; its program header leads
    nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'plain_stripped')
        shutil.copy(harness.target('plain_stripped'), path)
        shell('objcopy --remove-section=.eh_frame_hdr "$1"', path)
        harness.check('.eh_frame_hdr' not in shell('readelf -SW "$1"', path), 'it is there')
        found(path, is_typed=False)


def many_objects():
    """Objects that come and go often, with small limits too: jumps are told each time where
    unwind data is."""
    command = '%s %s %d' % (harness.target('loader'), harness.target('plugin.so'), 200)
    result = harness.traced('fpid$target:a.out:turn:entry { @[ustackdepth > 0 ? "turn" : "none"] '
                            '= count(); } fpid$target:plugin.so:plugged:entry { }', command,
                            ['-Z'])
    calls, _ = harness.truth(result.out)
    harness.check(harness.counts(result.data) == {'turn': calls['turn']}, '%s', result)
    harness.check('by frame pointers' not in result.err, '%s', result.err)


class Standing:
    """The program that is in odd places, and where these are."""

    def __enter__(self):
        self.process = subprocess.Popen([harness.target('standing')], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.at = dict(self.process.stdout.readline().split() for _ in range(3))
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def traced(self, place, program):
        """What the program prints at each hit."""
        with Attached([self.process.pid], 'pid$target%s { %s }' % (place, program),
                      ['-q']) as run:
            self.process.communicate('go\n', timeout=20)
            run.end()
        return [line for line in run.out.splitlines() if line and line != 'on']


NAMES = ('usym(uregs[R_RIP]); umod(uregs[R_RIP]); ufunc(ucaller); umod(ucaller); '
         'printf(" %d\\n", ustackdepth > 3);')


def standing(place, here, caller):
    """The function and module of the pc and of its caller, and a whole stack."""
    with Standing() as target:
        at = target.at.get(place)
        lines = target.traced('::-:' + at if at else ':a.out:%s:entry' % place, NAMES)
        expected = r' +%s +%s +%s +%s +1' % (here.replace('AT', at or ''), here.split('`')[0],
                                             caller, caller.split('`')[0])
        right = [line for line in lines if re.fullmatch(expected, line)]
        harness.check(len(lines) == len(right) == TIMES, 'expected %s, got\n%s', expected,
                      '\n'.join(lines))


def ahead_of_time():
    """What mono has compiled ahead of time, and reads as it runs, is left out by globs."""
    with tempfile.TemporaryDirectory(prefix='images-') as folder:
        path = os.path.join(folder, 'plugin.dll.so')
        shutil.copy(harness.target('plugin.so'), path)
        command = '%s %s 3' % (harness.target('loader'), path)
        for module, is_named in ('plugin*', False), ('', False), ('plugin.dll.so', True):
            result = harness.traced('pid$target:%s:plugged:entry { @[probefunc] = count(); }'
                                    % module, command, ['-Z'])
            notices = result.err.count("'plugin.dll.so' is left out")
            harness.check(('plugged' in harness.counts(result.data)) == is_named and
                          notices == (not is_named), '%s', result)


CASES = {
    'ahead_of_time': ahead_of_time,
    'beside': lambda: moved('.'), 'beneath': lambda: moved('.debug'), 'wrong': wrong,
    'by_build_id': lambda: in_debug_folder('id'), 'by_link': lambda: in_debug_folder('link'),
    **{'in_its_root_' + kind: (lambda kind=kind: in_its_root(kind))
       for kind in ('id', 'link', 'beside', 'linked')}, 'no_table': no_table,
    'many_objects': many_objects,
    'in_stub': lambda: standing('stub', 'standing`0xAT', 'standing`through'),
    'in_vdso': lambda: standing('vdso', r'\[vdso\]`clock_gettime', 'standing`timed'),
    'in_handler': lambda: standing('handle', 'standing`handle', r'libc\.so\.6`__restore_rt'),
    'behind_handler': lambda: standing('restorer', r'libc\.so\.6`__restore_rt', r'libc\.so\.6`\w*kill\w*'),
}
harness.main(CASES)
