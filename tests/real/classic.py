#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts of the classic kinds, each on a program that knows its own numbers.

tests/classic/NAME.d or NAME.sh is run; NAME.out is all that it must print. A line at
the head says how:

  run: OPTIONS      dtrace FLAGS NAME.d OPTIONS, with the FLAGS of its #! line; for
                    a NAME.sh its arguments. Shell quoting, and @NAME@ is a path as in
                    tests/d/run.py. It has the status 0, and prints only notices on stderr.
  attach: ERRANDS   the same, but first `errands hold ERRANDS` is started, which goes on
                    when dtrace traces it. @pid@ is its process.
  execute           the script itself is executed, with the path of dtrace in its #! line.

A shell script finds them in $DTRACE and $WORK, the test program errands (targets/life).

In NAME.out {EXPRESSION} is a number: names are those that errands noted in the run
(TRUTH), and WORK, {EXPRESSION:FORMAT} is formatted as in Python. @num@ is any number, @any@ any
text, all else must be equal.
"""
import glob
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
sys.path.insert(0, FOLDER)
import harness  # noqa: E402

SCRIPTS = os.path.join(FOLDER, 'classic')
READY = 'the target may go on\n'
ROW = struct.Struct('24sQ')
# said without -q, and where threads are not sampled in time
NOTICE = re.compile(r'dtrace: (?:.* matched \d+ probes?|pid \d+ has exited|'
                    r'.* profile samples missed .*)\n')


def directive(text, word):
    m = re.search(r'^\s*(?:#|/\*|\*)\s*%s\b:?(.*?)(?:\*/)?$' % word, text, re.M)
    return m.group(1).strip() if m else None


def truth(path):
    """{name: number} of what errands noted."""
    with open(path, 'rb') as f:
        rows = ROW.iter_unpack(f.read())
    return {name.rstrip(b'\0').decode(): n for name, n in rows}


def pattern(expected, numbers):
    """The expression that the output must match."""
    parts = re.split(r'(\{[^{}\n]+\}|@num@|@any@)', expected)
    for i in range(1, len(parts), 2):
        word = parts[i]
        if word == '@num@':
            parts[i] = '-?[0-9]+'
        elif word == '@any@':
            parts[i] = '.*?'
        else:
            value, _, layout = word[1:-1].partition(':')
            # the files are part of the test: no builtins are needed
            parts[i] = format(eval(value, {'__builtins__': {}}, numbers), layout)  # pylint: disable=eval-used
            parts[i] = re.escape(parts[i])
    parts[::2] = [re.escape(part) for part in parts[::2]]
    return ''.join(parts)


def difference(expected, actual, numbers):
    """The first line that differs, in words; None: none does."""
    if re.fullmatch(pattern(expected, numbers), actual, re.S):
        return None
    wanted, got = expected.splitlines(), actual.splitlines()
    for i, line in enumerate(wanted):
        if i >= len(got) or not re.fullmatch(pattern(line, numbers), got[i]):
            found = repr(got[i]) if i < len(got) else 'the end'
            return 'line %d: %s instead of %r, which is %s' % (
                i + 1, found, line, pattern(line, numbers))
    return 'more lines than expected'


class Script:
    def __init__(self, path, folder):
        self.path, self.folder, self.held = path, folder, None
        self.notes = os.path.join(folder, 'truth')
        with open(path, encoding='utf-8') as f:
            self.text = f.read()
        head = '\n'.join(self.text.split('\n')[:12])
        self.flags = self.text.split('\n', 1)[0].split()[1:]
        self.options = directive(head, 'run')
        self.errands = directive(head, 'attach')
        self.is_executed = directive(head, 'execute') is not None
        self.env = {'TRUTH': self.notes, 'WORK': harness.target('errands'),
                    'DTRACE': harness.DTRACE, 'PLUGIN': harness.target('plugin.so'),
                    'LOADER': harness.target('loader'), 'TMP_FOLDER': folder}

    def expand(self, text):
        words = {'pid': str(self.held.pid) if self.held else '?'}
        return re.sub(r'@([a-z_.]+)@',
                      lambda m: words.get(m.group(1)) or harness.target(m.group(1)), text)

    def command(self):
        options = shlex.split(self.expand(self.options or ''))
        if self.path.endswith('.sh'):
            return ['/bin/sh', self.path, *options]
        if not self.is_executed:
            return [harness.DTRACE, *self.flags, self.path, *options]
        copy = os.path.join(self.folder, os.path.basename(self.path))
        with open(copy, 'w', encoding='utf-8') as f:
            f.write(self.text.replace('/usr/sbin/dtrace', harness.DTRACE, 1))
        os.chmod(copy, 0o700)
        return [copy, *options]

    def run(self):
        """What it printed, on the one and on the other output."""
        if self.errands is None:
            result = harness.run(self.command(), env=self.env, cwd=self.folder)
            harness.check(result.status == 0, 'it failed\n%s', result)
            return result.out, result.err
        with subprocess.Popen([harness.target('errands'), 'hold', *self.errands.split()],
                              stdin=subprocess.PIPE, cwd=self.folder,
                              env=dict(os.environ, **self.env)) as self.held:
            try:
                return self.run_attached()
            finally:
                self.held.stdin.close()

    def run_attached(self):
        with subprocess.Popen(
                self.command() + ['-x', 'switchrate=20ms', '-n',
                                  'tick-20ms /$$1 != "" && !ready_of_test++/ { printf("%s"); }' %
                                  READY.replace('\n', '\\n')],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, start_new_session=True, env=dict(os.environ, LC_ALL='C')) as p:
            out = ''
            for line in p.stdout:
                if line == READY:
                    break
                out += line
            self.held.stdin.write(b'!')
            self.held.stdin.flush()
            try:
                rest, err = p.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                p.kill()
                raise harness.Failure('dtrace does not end') from None
            harness.check(p.returncode == 0, 'it failed: %s', err)
            return out + rest, err


def check(path):
    folder = tempfile.mkdtemp(prefix='classic-')
    try:
        script = Script(path, folder)
        out, err = script.run()
        numbers = truth(script.notes) if os.path.exists(script.notes) else {}
        numbers['WORK'] = script.env['WORK']
    finally:
        shutil.rmtree(folder)
    err = NOTICE.sub('', err)
    harness.check(not err, 'on stderr: %s', err)
    with open(os.path.splitext(path)[0] + '.out', encoding='utf-8') as f:
        expected = f.read()
    wrong = difference(expected, out, numbers)
    harness.check(not wrong, '%s\nit printed\n%s', wrong, out)


harness.main({os.path.splitext(os.path.basename(path))[0]: lambda path=path: check(path)
              for path in sorted(glob.glob(os.path.join(SCRIPTS, '*.*')))
              if not path.endswith('.out')})
