#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile files and lists of a process spoil what is known of them, and nothing else:
dtrace stays below 1 GB and traces the rest. Memory is compared with a wide margin; how
long it takes is not."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import elfile  # noqa: E402
import harness  # noqa: E402

LIBC = 'libc.so.6'
MEMORY = 1000000  # KB
TICK = 'tick:entry { n++; } %s:a.out:tick:entry /n == 3/ { ustack(); exit(0); }'


class Mapper:
    """The target, ready, for the time of a with block."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def __enter__(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([harness.target('mapper'), *self.arguments],
                                        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        start_new_session=True)
        line = self.process.stdout.readline()
        if line != b'ready\n' and self.process.wait() == 77:
            raise harness.Skipped('the loader has no further link maps')
        harness.check(line == b'ready\n', 'mapper %s is not ready', self.arguments)
        return self.process.pid

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def trace(pid, programs, options=(), interrupt=None):
    """Runs dtrace on a process or a command, and returns its Result with .memory, the most that it or its keeper
    had, in KB. interrupt: text of its output after which it gets SIGINT."""
    target = ['-c', pid] if isinstance(pid, str) else ['-p', str(pid)]
    command = [harness.DTRACE, '-q', '-Z', *options, *target]
    for program in programs:
        command += ['-n', program]
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        # pylint: disable=consider-using-with
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            if interrupt:
                harness.until(lambda: interrupt in harness.content(out), 60, interrupt)
                p.send_signal(signal.SIGINT)
            ended = []

            def is_done():
                done, status, usage = os.wait4(p.pid, os.WNOHANG)
                if done:
                    ended.append((os.waitstatus_to_exitcode(status), usage.ru_maxrss))
                return done

            harness.until(is_done, 100, 'the end of %s' % command)
        finally:
            if not ended:
                p.kill()
                p.wait()
        p.returncode = ended[0][0]
        result = harness.Result(ended[0][0], harness.content(out), harness.content(err))
    result.memory = ended[0][1]
    harness.check(result.memory < MEMORY, '%s KB of memory\n%s', result.memory, result)
    return result


def ticks(result):
    """The rest of the process is traced."""
    harness.check(result.status == 0, '%s', result)
    harness.check('mapper`tick' in result.out and 'mapper`main' in result.out, '%s', result)


def hostile(make, is_left_out=True, more=None):
    """A file that is mapped by an innocent program: its functions and its code are asked
    for, then its types. is_left_out: whether something is left out, which is said once."""
    with tempfile.TemporaryDirectory() as folder:
        files = os.path.join(folder, 'files')
        os.mkdir(files)
        file = make()
        file.write(os.path.join(files, 'evil'))
        if more:
            more(folder, files)
        with Mapper('files', files) as pid:
            memory, notices = 0, []
            for provider in 'pid$target', 'fpid$target', None:
                if provider:
                    tick = '%s:a.out:%s' % (provider, TICK % provider)
                    result = trace(pid, ['%s:evil::entry { }' % provider, tick])
                    ticks(result)
                else:
                    result = trace(pid, ['BEGIN { trace(evil`x); }'])
                    harness.check(result.status == 1, '%s', result)
                memory = max(memory, result.memory)
                found = re.findall(r"^dtrace: '.*/evil': .* is left out: .*symlimit", result.err,
                                   re.M)
                harness.check(len(found) <= 1, '%s notices\n%s', len(found), result)
                notices += found
            harness.check(bool(notices) == is_left_out, '%s\n%s', notices, result)
            return '%d MB' % (memory >> 10)


def debuglink():
    def add(folder, files):
        elfile.hollow().write(os.path.join(folder, 'debug'))
        os.mkdir(os.path.join(files, '.debug'))
        os.rename(os.path.join(folder, 'debug'), os.path.join(files, '.debug', 'evil.debug'))

    return hostile(lambda: elfile.linked('evil.debug'), False, add)


def symlimit():
    """The option raises the limit; what is left out has names then."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'evil')
        file = elfile.File()
        names = file.add(b'\0late\0')
        size = 2800000 * 24  # 64 MiB
        at = file.hole(size)
        file.pieces[at + size - 24] = elfile.function(1)
        elfile.symbols(file, at, size, names, 6)
        file.write(path)
        with Mapper('files', folder) as pid:
            program = 'pid$target:evil:late:entry { } tick-1ms { exit(0); }'
            short = trace(pid, [program], ['-l'])
            harness.check('late' not in short.out and 'symlimit' in short.err, '%s', short)
            harness.check("'%s': .symtab is left out: it takes 64 MiB, and the limit for this file is " % path
                          in short.err, '%s', short)
            full = trace(pid, [program], ['-l', '-x', 'symlimit=512m'])
            harness.check('late' in full.out and 'symlimit' not in full.err, '%s', full)
            bad = trace(pid, [program], ['-x', 'symlimit=much'])
            harness.check(bad.status == 1 and 'symlimit' in bad.err, '%s', bad)


def mapped(*arguments, **kwargs):
    """A process with very many mappings."""
    with Mapper(*arguments) as pid:
        memory = 0
        for provider in 'pid$target', 'fpid$target':
            result = trace(pid, ['%s:a.out:%s' % (provider, TICK % provider)], **kwargs)
            ticks(result)
            memory = max(memory, result.memory)
        return '%d MB' % (memory >> 10)


def libc_path():
    with open('/proc/self/maps', encoding='utf-8') as maps:
        found = re.search(r'(/\S+/%s)$' % re.escape(LIBC), maps.read(), re.M)
    if not found:
        raise harness.Skipped('no %s' % LIBC)
    return found.group(1)


def one_file():
    """Each of the mappings is a module, named like the others."""
    path = libc_path()
    with Mapper('times', '40000', path) as pid:
        listed = trace(pid, ['pid$target:%s:malloc:entry { }' % LIBC], ['-l'])
        harness.check(listed.status == 0 and 'malloc' in listed.out, '%s', listed)
    return mapped('times', '40000', path)


def many_files():
    with tempfile.TemporaryDirectory() as folder:
        first = os.path.join(folder, '0')
        shutil.copy(harness.target('tiny'), first)
        subprocess.run(['strip', first], check=True)
        for i in range(1, 3000):
            shutil.copy(first, os.path.join(folder, str(i)))
        return mapped('files', folder)


def forged_list():
    """Said once, however often the list is read."""
    with Mapper('forged') as pid:
        result = trace(pid, ['pid$target:a.out:%s' % TICK % 'pid$target'])
        ticks(result)
        harness.check(result.err.count("list of objects has no end") == 1, '%s', result)
        result = trace(pid, ['pid$target:a.out:tick:entry { trace("begun"); }'],
                       interrupt='begun')
        harness.check(result.status == 0, '%s', result)


def reloaded():
    """A library that is loaded and unloaded again and again needs memory once. Its names
    are printed, and its functions counted, each time."""
    loader = '%s %s/large_plugin.so' % (harness.target('loader'), harness.TARGETS)
    os.environ['ASAN_OPTIONS'] = 'quarantine_size_mb=1'  # what is freed counts as memory
    said = []
    for provider in 'pid', 'fpid':
        program = '%s$target:large_plugin.so:plugged:entry { @[ustack(1)] = count(); }' % provider
        memory = []
        for turns in 40, 440:
            result = trace('%s %d' % (loader, turns), [program])
            harness.check(result.status == 0, '%s', result)
            found = re.search(r'large_plugin\.so`plugged\n +(\d+)$', result.out, re.M)
            harness.check(found and int(found.group(1)) == 11 * turns, '%s', result)
            memory.append(result.memory)
        # each of the 400 turns had kept more than 100 KB
        harness.check(memory[1] - memory[0] < 15000, '%s: %s KB', provider, memory)
        said.append('%d and %d MB' % (memory[0] >> 10, memory[1] >> 10))
    return ', '.join(said)


CASES = {
    'segments': lambda: hostile(elfile.segments),
    'symtab': lambda: hostile(elfile.symtab),
    'long_names': lambda: hostile(elfile.long_names, False),
    'compressed': lambda: hostile(lambda: elfile.compressed('.debug_')),
    'compressed_lto': lambda: hostile(lambda: elfile.compressed('.gnu.debuglto_.debug_')),
    'debug_hole': lambda: hostile(elfile.debug_hole),
    'notes': lambda: hostile(elfile.notes),
    'relr': lambda: hostile(elfile.relr),
    'frames': lambda: hostile(elfile.frames),
    'bomb': lambda: hostile(elfile.bomb),
    'debuglink': debuglink,
    'symlimit': symlimit,
    'anonymous': lambda: mapped('anonymous', '60000'),
    'one_file': one_file,
    'many_files': many_files,
    'forged_list': forged_list,
    'reloaded': reloaded,
}

if __name__ == '__main__':
    harness.main(CASES)
