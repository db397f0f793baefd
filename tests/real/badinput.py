#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What cannot be done is said in one clear line, and nothing is left behind."""
import ctypes
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

BEGIN = 'BEGIN { exit(0); }'
PTRACE_SEIZE = 0x4206
NOBODY = 65534

# i386: for (;;) pause();
PROGRAM_32 = (b'\x7fELF\x01\x01\x01' + bytes(9) +
              b'\x02\x00\x03\x00\x01\x00\x00\x00\x54\x80\x04\x08\x34\x00\x00\x00' + bytes(8) +
              b'\x34\x00\x20\x00\x01\x00\x00\x00\x00\x00\x00\x00' +
              b'\x01\x00\x00\x00\x00\x00\x00\x00\x00\x80\x04\x08\x00\x80\x04\x08'
              b'\x5d\x00\x00\x00\x5d\x00\x00\x00\x05\x00\x00\x00\x00\x10\x00\x00' +
              b'\xb8\x1d\x00\x00\x00\xcd\x80\xeb\xf7')


def refused(arguments, pattern, status=1, **kwargs):
    """dtrace prints nothing but one line, which matches, and exits."""
    result = harness.run([harness.DTRACE, *arguments], timeout=20, **kwargs)
    harness.check(result.status == status, 'status %s, not %d\n%s', result.status, status, result)
    harness.check(result.out == '', 'it printed\n%s', result)
    lines = result.err.splitlines()
    harness.check(len(lines) == 1 and re.fullmatch('dtrace: ' + pattern, lines[0]),
                  'expected "dtrace: %s", got\n%s', pattern, result.err)
    return lines[0]


def elsewhere():
    """A provider that does not exist here: the classic line, then which one serves."""
    served = r'\b(?:syscall::|proc:::|pid\$target:|profile-N|vtimestamp)'
    for probe in ('io:::start', 'fbt::vfs_read:entry', 'sched:::on-cpu', 'vminfo:::maj_fault',
                  'sysinfo:::nthreads', 'tcp:::send', 'ip:::receive', 'lockstat:::adaptive-spin',
                  'cpc:::x'):
        result = harness.run([harness.DTRACE, '-n', probe])
        lines = result.err.splitlines()
        harness.check(result.status == 1 and len(lines) == 4 and
                      lines[0] == 'dtrace: invalid probe specifier %s: probe description %s '
                      'does not match any probes' % (probe, probe) and
                      re.match(r'\t.*' + served, lines[1]), '%s', result)
    for probe in 'nothing:::start', 'io*:::start':
        result = harness.run([harness.DTRACE, '-n', probe])
        harness.check(result.status == 1 and len(result.err.splitlines()) == 3, '%s', result)


class Sleeper:
    """A process to attach to, for the time of a with block."""

    def __init__(self, *command, calls=ready.WAITS, **kwargs):
        self.command, self.kwargs = command or [harness.target('idle')], kwargs
        self.calls = calls  # in which it waits

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                        start_new_session=True, **self.kwargs)
        pid = self.process.pid
        is_waiting = ready.wait_until(lambda: ready.waits(pid, self.calls) or
                                      self.process.poll() is not None)
        harness.check(is_waiting, '%s does not wait', self.command)
        return pid

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def missing_program():
    refused(['-n', BEGIN, '-c', '/nonexistent/program'],
            r'failed to execute /nonexistent/program: .*[Nn]o such file or directory')
    refused(['-n', BEGIN, '-c', 'nosuchcommand and words'],
            r'failed to execute nosuchcommand: .+')
    refused(['-n', BEGIN, '-c', '  '], r'failed to execute .*: .+')
    refused(['-n', BEGIN, '-c', '/tmp'], r'failed to execute /tmp: .+')


def not_elf():
    with tempfile.TemporaryDirectory() as folder:
        for name, content, mode in (('text', b'hello\n', 0o755), ('empty', b'', 0o755),
                                    ('cut', b'\x7fELF\x02\x01\x01', 0o755),
                                    ('noexec', b'#!/bin/true\n', 0o644)):
            path = os.path.join(folder, name)
            with open(path, 'wb') as f:
                f.write(content)
            os.chmod(path, mode)
            refused(['-n', BEGIN, '-c', path], 'failed to execute %s: .+' % re.escape(path))


def program_32():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'i386')
        with open(path, 'wb') as f:
            f.write(PROGRAM_32)
        os.chmod(path, 0o755)
        refused(['-n', BEGIN, '-c', path], r'failed to execute %s: .*(32|64)-bit.*' % re.escape(path))
        try:
            with Sleeper(path, calls=[29]) as pid:  # pause, for 32 bits
                alive = os.path.exists('/proc/%d/exe' % pid) and \
                    os.readlink('/proc/%d/exe' % pid) == path
                if not alive:
                    return '-p not tried: this kernel runs no 32-bit programs'
                refused(['-n', BEGIN, '-p', str(pid)],
                        r'failed to grab pid %d: .*(32|64)-bit.*' % pid)
                os.kill(pid, 0)
        except OSError as error:
            return '-p not tried: this kernel runs no 32-bit programs (%s)' % error
    return None


def bad_pids():
    gone = subprocess.Popen(['true'])
    gone.wait()
    refused(['-n', BEGIN, '-p', str(gone.pid)],
            r'failed to grab pid %d: .*no such process.*' % gone.pid)
    refused(['-n', BEGIN, '-p', '12x'], r'invalid pid: 12x')
    refused(['-n', BEGIN, '-p', '0'], r'(invalid pid: 0|failed to grab pid 0: .+)')
    refused(['-n', BEGIN, '-p', '99999999999999999999'], r'invalid pid: 9+')
    zombie = subprocess.Popen(['true'])
    harness.until(lambda: open('/proc/%d/stat' % zombie.pid).read().split()[2] == 'Z', 5,
                  'a zombie')
    refused(['-n', BEGIN, '-p', str(zombie.pid)], r'failed to grab pid %d: .+' % zombie.pid)
    zombie.wait()


def no_permission():
    """Another user's process: the message says that this is why."""
    if os.geteuid() == 0:
        with Sleeper() as pid:
            # the build folder may be closed to others: run a copy
            with tempfile.TemporaryDirectory() as folder:
                install = harness.run(['cmake', '--install', os.environ['BUILD'], '--prefix',
                                       folder])
                harness.check(install.status == 0, '%s', install)
                os.chmod(folder, 0o755)
                harness.DTRACE, kept = os.path.join(folder, 'bin', 'dtrace'), harness.DTRACE
                try:
                    line = refused(['-n', BEGIN, '-p', str(pid)],
                                   r'failed to grab pid %d: .+' % pid, user=NOBODY, group=NOBODY)
                finally:
                    harness.DTRACE = kept
    else:
        line = refused(['-n', BEGIN, '-p', '1'], r'failed to grab pid 1: .+')
    harness.check(re.search(r'user|permi|root|owner', line), 'it does not say why: %s', line)
    return line


def already_traced():
    """Says by whom."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Sleeper() as pid:
        harness.check(libc.ptrace(ctypes.c_long(PTRACE_SEIZE), ctypes.c_long(pid), None,
                                  None) == 0, 'cannot trace: %s', os.strerror(ctypes.get_errno()))
        line = refused(['-n', BEGIN, '-p', str(pid)], r'failed to grab pid %d: .+' % pid)
        harness.check('trace' in line and str(os.getpid()) in line,
                      'it does not name the tracer %d: %s', os.getpid(), line)
    return line


def probes_that_match_nothing():
    """Says what is near, and where the name is."""
    once = harness.target('once')
    for text, pattern in (
            ('pid$target:a.out:nosuch:entry {}', r'.*nosuch.*'),
            ('pid$target:a.out:mian:entry {}', r'.*\bmain\b.*'),
            ('pid$target:a.out:malloc:entry {}', r'.*libc.*'),
            ('pid$target:nosuchlib::entry {}', r'.*nosuchlib.*'),
            ('pid$target:a.out:main:beginning {}', r'.*beginning.*'),
            ('pid$target:a.out:main:fffff {}', r'.*fffff.*'),
            ('pid99999999:a.out:main:entry {}', r'.*99999999.*'),
            ('nosuch:::entry {}', r'.*nosuch.*')):
        result = harness.run([harness.DTRACE, '-n', text, '-c', once], timeout=20)
        harness.check(result.status == 1 and result.out == '', '%s\n%s', text, result)
        harness.check(re.search(pattern, result.err) and result.err.startswith('dtrace: '),
                      '%s: expected %s in\n%s', text, pattern, result.err)


def dies_while_attaching():
    """A target that is killed at any moment: an answer, never a hang."""
    moments = random.Random(7)
    for _ in range(25):
        with Sleeper() as pid:
            dtrace = subprocess.Popen(
                [harness.DTRACE, '-qn', 'pid$target:::entry { @ = count(); }', '-p', str(pid)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, start_new_session=True)
            time.sleep(moments.uniform(0, 0.12))  # any moment of attaching
            os.kill(pid, signal.SIGKILL)
            try:
                output, _ = dtrace.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                dtrace.kill()
                raise harness.Failure('dtrace hangs:\n%s' % dtrace.communicate()[0]) from None
            harness.check(dtrace.returncode in (0, 1), 'status %d:\n%s', dtrace.returncode, output)
            harness.check(dtrace.returncode == 0 or output.startswith('dtrace: '),
                          'status 1 without a message:\n%s', output)


def usage():
    for arguments in ([], ['-?'], ['-n'], ['--nosuch']):
        result = harness.run([harness.DTRACE, *arguments], timeout=20)
        harness.check(result.status == 2 and 'Usage' in result.err and result.out == '',
                      '%s: %s', arguments, result)


harness.main({'missing_program': missing_program, 'not_elf': not_elf, 'program_32': program_32,
              'bad_pids': bad_pids, 'no_permission': no_permission,
              'already_traced': already_traced, 'nothing_matches': probes_that_match_nothing,
              'dies_while_attaching': dies_while_attaching, 'usage': usage,
              'elsewhere': elsewhere})
