#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--top on a terminal of tmux: what it shows, its keys, another size of the window, and
how it gives the terminal back."""
import os
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import ready  # noqa: E402

# by value c is first, by name a; one name would change the terminal
PROGRAM = r'''
BEGIN { printf("held until the end\n"); }
tick-10ms
{
	@sums["c"] = sum(30);
	@sums["b"] = sum(20);
	@sums["a"] = sum(10);
	@sums["z\033[2J\n\377"] = sum(1);
	@sizes[1] = quantize(4);
	@sizes[1] = quantize(5);
	@sizes[1] = quantize(16);
	@sizes[1] = quantize(17);
	@sizes[7] = quantize(9);
}'''

SCRIPT = r'''
cd %(dir)s
stty -g >before
sh -c 'echo $$ >pid; exec "$@"' - %(command)s
echo $? >status
stty -g >after
: >end
read forever
'''


class Terminal:
    """dtrace --top in a window of tmux."""

    def __init__(self, tmp, options=''):
        self.tmp = tmp
        command = '%s %s --top -x aggrate=100ms -qn %s' % (
            shlex.quote(harness.DTRACE), options, shlex.quote(PROGRAM))
        with open(self.path('script'), 'w', encoding='utf-8') as f:
            f.write(SCRIPT % {'dir': shlex.quote(tmp), 'command': command})
        self.tmux('new-session', '-d', '-x', '70', '-y', '12', 'sh ' + self.path('script'))

    def path(self, name):
        return os.path.join(self.tmp, name)

    def read(self, name):
        with open(self.path(name), encoding='utf-8') as f:
            return f.read().strip()

    def tmux(self, *arguments):
        return subprocess.run(['tmux', '-f', '/dev/null', '-S', self.path('socket'), *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20, text=True,
                              check=True).stdout

    def screen(self):
        return self.tmux('capture-pane', '-p').split('\n')

    def names(self):
        """The last column of the rows."""
        return [line.split()[-1] for line in self.screen()[2:] if line.strip()]

    def shares(self):
        return [line.split()[1] for line in self.screen()[2:] if line.strip()]

    def wait(self, condition, what):
        harness.check(ready.wait_until(condition, 20), '%s:\n%s', what,
                      '\n'.join(self.screen()))

    def ended(self, status):
        """Waits for the end: the terminal is as before and shows the final rows."""
        self.wait(lambda: os.path.exists(self.path('end')), 'it does not end')
        harness.check(self.read('before') == self.read('after'), 'stty: %s, then %s',
                      self.read('before'), self.read('after'))
        harness.check(self.read('status') == status, 'status %s', self.read('status'))
        text = self.tmux('capture-pane', '-p', '-S', '-100')
        harness.check('held until the end' in text, 'no record in\n%s', text)
        harness.check('value  ------------- Distribution' in text,
                      'no final aggregations in\n%s', text)

    def close(self):
        self.tmux('kill-server')


def in_terminal(test, options=''):
    harness.installed('tmux')
    with tempfile.TemporaryDirectory() as tmp:
        t = Terminal(tmp, options)
        try:
            t.wait(lambda: any('@sums' in line for line in t.screen()), 'no rows')
            test(t)
        finally:
            t.close()


def keys():
    """Rows by value, by name, reversed; the next aggregation; a smaller window; q."""
    def test(t):
        t.wait(lambda: t.names() == ['c', 'b', 'a', 'z?[2J??'], 'by value')
        harness.check(t.shares() == ['49.18%', '32.79%', '16.39%', '1.64%'], 'shares %s',
                      t.shares())
        harness.check('q quit' in t.screen()[1], 'no line of keys')
        t.tmux('send-keys', '>')
        t.wait(lambda: t.names() == ['a', 'b', 'c', 'z?[2J??'], 'by name')
        t.tmux('send-keys', 'r')
        t.wait(lambda: t.names() == ['z?[2J??', 'c', 'b', 'a'], 'reversed')
        t.tmux('resize-window', '-x', '40', '-y', '4')
        t.wait(lambda: t.names() == ['z?[2J??', 'c'], 'in a small window')
        t.tmux('send-keys', 'Down')
        t.wait(lambda: t.names() == ['c', 'b'], 'scrolled')
        t.tmux('resize-window', '-x', '80', '-y', '24')
        t.wait(lambda: t.names() == ['z?[2J??', 'c', 'b', 'a'], 'in a large window')
        t.tmux('send-keys', 'Tab')
        t.wait(lambda: '@sizes (numbers of values)  4..16 ' in t.screen()[0] and
               [line[20:] for line in t.screen()[2:4]] == ['   @   7', '  @ @  1'],
               'the next aggregation, its histograms as cells')
        t.tmux('send-keys', 'b')
        t.wait(lambda: [line[20:] for line in t.screen()[2:8]] ==
               ['   @   7', ' 8 |%s 100.0%%' % ('@' * 40), '  @ @  1',
                ' 4 |%-40s  50.0%%' % ('@' * 20), ' 8 |%40s   0.0%%' % '',
                '16 |%-40s  50.0%%' % ('@' * 20)],
               'as bars')
        t.tmux('send-keys', 'b')
        t.wait(lambda: t.screen()[3].endswith(' 1') and not t.screen()[4].strip(), 'as cells')
        t.tmux('send-keys', 'q')
        t.ended('0')
    in_terminal(test)


def signals():
    """Each signal that ends a run gives the terminal back."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
        def test(t, number=number):
            os.kill(int(t.read('pid')), number)
            t.ended('0')
        in_terminal(test)


def target_ends():
    """So does the end of the program of -c, which reads a pipe to its end."""
    with tempfile.TemporaryDirectory() as tmp:
        pipe = os.path.join(tmp, 'pipe')
        os.mkfifo(pipe)

        def test(t):
            with open(pipe, 'wb'):
                pass
            t.ended('0')
        in_terminal(test, shlex.join(['-c', 'cat ' + pipe]))


def refused():
    """Without a terminal, or with one of an unknown type, it says why."""
    p = subprocess.run([harness.DTRACE, '--top', '-qn', PROGRAM], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=30,
                       check=False)
    harness.check(p.returncode == 1 and p.stdout == '' and p.stderr ==
                  'dtrace: could not enable tracing: --top needs a terminal: the output is '
                  'none\n', '%s %s', p.returncode, p.stderr)
    ours, theirs = os.openpty()
    # ncurses keeps the memory of a terminal that it does not know
    env = dict(os.environ, TERM='nonesuch', ASAN_OPTIONS='detect_leaks=0')
    try:
        p = subprocess.run([harness.DTRACE, '--top', '-qn', 'BEGIN { @ = count(); }'],
                           stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True,
                           timeout=30, check=False, env=env)
    finally:
        os.close(ours)
        os.close(theirs)
    harness.check(p.returncode == 1 and p.stderr ==
                  'dtrace: --top: the type of the terminal is not known: TERM=nonesuch\n',
                  '%s %s', p.returncode, p.stderr)


harness.main({'keys': keys, 'signals': signals, 'target_ends': target_ends,
              'refused': refused})
