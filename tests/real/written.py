#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that dtrace writes: which it opens when others may have been there before, and what
becomes of those that cannot be written whole."""
import os
import resource
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

ROOM = 64  # bytes of a file, from some moment on
SAYS_ON = 'tick-10ms /!n++/ { printf("on\\n"); } '
PICTURES = {
    '--flame': 'BEGIN { @[ustack()] = count(); } ',
    '--heatmap': 'BEGIN { @ = quantize(1); } ',
    '--pprof': 'BEGIN { @[ustack()] = count(); } ',
    '--timeline': 'tick-10ms { printf("x"); } ',
}


def freopened(path, options=(), program='pid$target:a.out:main:entry { freopen("%s%%s", '
              'substr(execname, 0, 0)); printf("by dtrace\\n"); exit(0); }'):
    """dtrace that takes the path in part from the program."""
    return harness.run([harness.DTRACE, '-wq', *options, '-n', program % path, '-c',
                        harness.target('plain')])


def planted():
    """freopen() writes to no file behind a link, nor to one of another."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, 'file')
        own = 'BEGIN { freopen("%s"); printf("by dtrace\\n"); exit(0); }'

        def make(owner=None):
            with open(file, 'w', encoding='utf-8') as f:
                f.write('precious\n')
            if owner:
                os.chown(file, owner, owner)

        def check(path, why, *arguments):
            result = freopened(path, *arguments)
            message = 'couldn\'t freopen() "%s": %s; -x freopen=any allows that' % (path, why)
            harness.check(message in result.err and 'by dtrace' in result.out, '%s', result)
            with open(file, encoding='utf-8') as f:
                harness.check(f.read() == 'precious\n', 'written over')

        make()
        for name in 'link', 'twin':
            path = os.path.join(folder, name)
            (os.symlink if name == 'link' else os.link)(file, path)
            why = 'it is a symbolic link' if name == 'link' else 'the file has another name, too'
            check(path, why)
            check(path, why, (), own)
            result = freopened(path, ['-x', 'freopen=any'])
            with open(file, encoding='utf-8') as f:
                harness.check(f.read() == 'precious\nby dtrace\n\n', '%s', result)
            make()
        os.unlink(path)
        if os.geteuid() == 0:
            make(65534)
            check(file, 'it belongs to another user')
        os.mkfifo(os.path.join(folder, 'fifo'))
        check(os.path.join(folder, 'fifo'), 'it is no regular file')
        new = os.path.join(folder, 'new')
        for _ in range(2):
            result = freopened(new)
        with open(new, encoding='utf-8') as f:
            harness.check(f.read() == 'by dtrace\n\n' * 2, '%s', result)


def limited(arguments, program):
    """The exit status and stderr of a dtrace that finds room for few bytes at its end."""
    with subprocess.Popen([harness.DTRACE, '-q', *arguments, '-n', SAYS_ON + program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as p:
        try:
            harness.check(p.stdout.readline() == 'on\n', 'it does not begin')
            resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (ROOM, ROOM))
            p.send_signal(signal.SIGINT)
            return p.communicate(timeout=30)[1], p.returncode
        finally:
            p.kill()


def pictures():
    """A picture for which there is no room is removed and named, and the status is 1."""
    with tempfile.TemporaryDirectory() as folder:
        for option, program in PICTURES.items():
            path = os.path.join(folder, 'picture')
            err, status = limited([option, path], program)
            harness.check(err == "dtrace: failed to write '%s': File too large; it is removed\n"
                          % path and status == 1, '%s: %d\n%s', option, status, err)
            harness.check(not os.path.exists(path), '%s is there', path)


def devices():
    """What is no regular file is named, and stays."""
    for option, program in PICTURES.items():
        result = harness.run([harness.DTRACE, '-q', option, '/dev/full', '-n',
                              SAYS_ON + program + 'tick-30ms { exit(0); }'])
        harness.check(result.err == "dtrace: failed to write '/dev/full': No space left on "
                      'device\n' and result.status == 1, '%s: %s', option, result)
    harness.check(os.path.exists('/dev/full'), 'no /dev/full')


def none():
    """A file for a picture that did not come about is not left behind; one that was there
    stays as it was."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'picture')
        command = [harness.DTRACE, '-q', '--flame', path, '-n',
                   'BEGIN { exit(0); } tick-1h { @[ustack()] = count(); }']
        result = harness.run(command)
        harness.check('no flame graph' in result.err and os.listdir(folder) == [], '%s', result)
        with open(path, 'w', encoding='utf-8') as f:
            f.write('old')
        harness.run(command)
        with open(path, encoding='utf-8') as f:
            harness.check(f.read() == 'old', 'not as it was')


def statuses():
    """A file of -o, of -E or a core that is not written: status 1."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'data')
        program = SAYS_ON.replace('"on\\n"', '"%s", "on"').replace('/!n++/', '')
        for option in '-o', '-E':
            with subprocess.Popen([harness.DTRACE, '-q', option, path, '-x', 'switchrate=5ms',
                                   '-n', program], stdin=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as p:
                try:
                    harness.until(lambda: os.path.exists(path) and os.path.getsize(path) > ROOM, 30,
                                  path)
                    resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (ROOM, ROOM))
                    err = p.communicate(timeout=30)[1]
                    harness.check('File too large' in err and p.returncode == 1, '%s: %d\n%s',
                                  option, p.returncode, err)
                finally:
                    p.kill()
            os.unlink(path)
        result = harness.run([harness.DTRACE, '-qwn', 'pid$target:a.out:main:entry '
                              '{ dump("%s/none/core"); }' % folder, '-c',
                              harness.target('plain')])
        harness.check(result.status == 1 and 'couldn\'t dump() "%s/none/core": No such file or '
                      'directory' % folder in result.err, '%s', result)


def commands():
    """A command of system() and the program of -c have the action of SIGXFSZ that dtrace was
    started with."""
    ignored = 'grep SigIgn /proc/self/status'
    for arguments in (['-wqn', 'BEGIN { system("%s"); exit(0); }' % ignored],
                      ['-qn', 'BEGIN', '-c', ignored]):
        out = harness.run([harness.DTRACE, *arguments]).out
        mask = int(out.split('SigIgn:')[1].split()[0], 16)
        harness.check(not mask >> signal.SIGXFSZ - 1 & 1, '%s: %s', arguments, out)


harness.main({'planted': planted, 'pictures': pictures, 'devices': devices, 'none': none,
              'statuses': statuses, 'commands': commands})
