#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one D script of tests/d and compares what dtrace printed.

  run.py --dtrace PROGRAM --targets DIR [--provider fpid] [--memcheck] SCRIPT.d

--provider fpid runs a script of the pid provider with the other one: pid$target,
pid@pid@ and so on become fpid$target ... in the script, its options and all that is
expected. Nothing else may differ. A script with a clause that may be machine code then
runs once more with -x native=off: it must print the same.

--memcheck runs dtrace, not the keeper and the target, under valgrind: an error or a
leak fails the test, as does anything below.

tst.WHAT.d         runs as `dtrace -qs SCRIPT`. Standard output must equal
                   SCRIPT.out (that is tst.WHAT.d.out), which must exist; standard
                   error must equal SCRIPT.err, or be empty without one; the exit
                   status must be the number in SCRIPT.status, or 0.
err.D_TAG.WHAT.d   runs with -x errtags as well: must exit with 1, print nothing on
                   standard output and exactly the tag [D_TAG] on standard error
                   (and equal SCRIPT.err where one exists).
err.WHAT.d         must exit with 1 (or SCRIPT.status), print SCRIPT.err, which
                   must exist, and nothing on standard output (or SCRIPT.out).

Comments at the head of a script (first ten lines) change the run:

  /* run: OPTIONS */  dtrace -q OPTIONS -s SCRIPT; with @file@ among the OPTIONS they
                      are the whole command line: dtrace OPTIONS. Shell quoting.
  /* command: WORDS */  dtrace WORDS and nothing else, for programs on the command line.
  /* target: NAME ARGS */  starts this test program first; @pid@ is its process. ARGS may have
                      @NAME@. dtrace starts when the program has come to where it waits
                      (ready.py).

In OPTIONS @NAME@ is the path of a test program (tests/targets/*/NAME.c), @file@ the
script, @dir@ its directory, @tmp@ an empty directory, @pid@ the target's process.
Where SCRIPT.file exists, the file out in that directory must equal it in the end.

In expected files these stand for what differs from run to run, everything else is
compared byte by byte: @pid@ @num@ (decimal digits), @hex@ (hex digits), @cpu@ (the
CPU column, 3 wide), @id@ (the probe id column, 6 wide), @lid@ @lprov@ (id and pid
provider in a listing, 5 and 10 wide), @any@ (any text), @late@ (the line that says that
samples were missed, if there is one), @file@ @dir@ @tmp@ @dtrace@
(paths as given on the command line), @NAME:path@ (path of a test program).
"""
import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import left_out  # noqa: E402
import memcheck  # noqa: E402
import ready  # noqa: E402

TIMEOUT = 30
MEMCHECK_TIMEOUT = 110

VARYING = {
    '@pid@': rb'[0-9]+',
    '@num@': rb'-?[0-9]+',
    '@hex@': rb'[0-9a-f]+',
    '@cpu@': rb'[ 0-9]{2}[0-9]',
    '@id@': rb'[ 0-9]{5}[0-9]',
    '@lid@': rb'[ 0-9]{4}[0-9]',
    '@lprov@': rb'(?=[^\n]{10} ) *f?pid[0-9]+',
    '@any@': rb'.*?',
    '@late@': rb'(?:dtrace: [0-9]+ of [0-9]+ profile samples missed \([0-9.]+%\): their threads were not seen running\n)?',
}


PROVIDER = re.compile(r'(?<![\w$])pid(?=\$|@pid@|@num@|\d*[*?:]|\d+\b)')


# What no clause with machine code has (vm/native.h): a clause without these may have some.
INTERPRETED = re.compile(
    r'\b(?:printa|print|tracemem|u?stack|jstack|copy\w+|exit|system|raise|stop|str\w+'
    r'|speculat\w+|commit|discard|clear|trunc|freopen|setopt|u?sym|uaddr|umod|execname)\b')


class Failure(Exception):
    pass


class Skipped(Exception):
    """The script needs a test program that this machine cannot build."""


def other_provider(text):
    """The text with the provider fpid wherever it names pid."""
    return PROVIDER.sub('fpid', text)


def may_be_native(text):
    """Whether a clause of fpid, or a predicate, may be machine code."""
    return 'native=' not in text and any(
        '/' in head or not INTERPRETED.search(head + body)
        for head, body in re.findall(r'(fpid[^{};]*)(\{[^{}]*\})', text))


def directive(text, word):
    head = '\n'.join(text.split('\n')[:10])
    m = re.search(r'/\*\s*%s:(.*?)\*/' % word, head, re.S)
    return m.group(1).strip() if m else None


class Test:
    def __init__(self, args, tmp):
        self.dtrace = args.dtrace
        self.targets = args.targets
        self.script = os.path.abspath(args.script)
        self.name = os.path.basename(self.script)
        self.tmp = tmp
        self.pid = None
        self.options = []
        self.report = os.path.join(tmp, '.memcheck') if args.memcheck else None
        with open(self.script, encoding='utf-8', errors='surrogateescape') as f:
            self.text = f.read()
        self.is_pair = args.provider == 'fpid'
        if self.is_pair:
            self.text = other_provider(self.text)
            self.pair = os.path.join(tmp, 'pair', self.name)
            os.mkdir(os.path.dirname(self.pair))
            with open(self.pair, 'w', encoding='utf-8', errors='surrogateescape') as f:
                f.write(self.text)
        m = re.match(r'err\.(D_[A-Z0-9_]+)\.', self.name)
        self.tag = m.group(1) if m else None
        self.is_error = self.name.startswith('err.')
        if not self.is_error and not self.name.startswith('tst.'):
            raise Failure('a script is named tst.WHAT.d or err.WHAT.d')

    def path(self, word):
        """What @word@ stands for on a command line."""
        known = {'file': self.pair if self.is_pair else self.script, 'dir': os.path.dirname(self.script),
                 'tmp': self.tmp, 'dtrace': self.dtrace}
        if word in known:
            return known[word]
        if word == 'pid':
            if self.pid is None:
                raise Failure('@pid@ needs a /* target: */ line')
            return str(self.pid)
        reason = left_out.target(self.targets, word)
        if reason:
            raise Skipped(reason)
        program = os.path.join(self.targets, word)
        if not os.path.exists(program):
            raise Failure('no test program ' + program)
        return program

    def expand(self, text):
        # an aggregation may be called @name: only @word@ without blanks is ours
        return re.sub(r'@([A-Za-z0-9_.]+)@', lambda m: self.path(m.group(1)), text)

    def command(self):
        only = directive(self.text, 'command')
        options = only or directive(self.text, 'run') or ''
        whole = only or '@file@' in options
        words = shlex.split(self.expand(options))
        if self.tag:
            words = ['-x', 'errtags'] + words
        if whole:
            return [self.dtrace] + self.options + words
        return [self.dtrace, '-q'] + self.options + words + ['-s', self.path('file')]

    def expected(self, suffix):
        try:
            with open(self.script + suffix, 'rb') as f:
                expected = f.read()
        except FileNotFoundError:
            return None
        if self.is_pair:
            return os.fsencode(other_provider(os.fsdecode(expected)))
        return expected

    def matches(self, expected, actual):
        expected = re.sub(rb'@late@\n', rb'@late@', expected)
        for word in ('file', 'dir', 'tmp', 'dtrace'):
            expected = expected.replace(b'@%s@' % word.encode(),
                                        os.fsencode(self.path(word)))
        expected = re.sub(rb'@([A-Za-z0-9_.]+):path@',
                          lambda m: os.fsencode(self.path(m.group(1).decode())), expected)
        pattern = re.escape(expected)
        for word, regex in VARYING.items():
            pattern = pattern.replace(re.escape(word.encode()), regex)
        return re.fullmatch(pattern, actual, re.S) is not None

    def compare(self, what, expected, actual):
        if self.matches(expected, actual):
            return
        import difflib  # pylint: disable=import-outside-toplevel # takes its time
        lines = difflib.unified_diff(
            expected.decode(errors='backslashreplace').splitlines(True),
            actual.decode(errors='backslashreplace').splitlines(True),
            'expected ' + what, 'actual ' + what)
        raise Failure('%s differs:\n%s' % (what, ''.join(
            l if l.endswith('\n') else l + '\n\\ no newline\n' for l in lines)))

    def check(self, status, out, err):
        want_out, want_err = self.expected('.out'), self.expected('.err')
        if self.is_pair:  # what only fpid has to say
            err = re.sub(rb'(?m)^dtrace: fpid: .*\n', b'', err)
        want_status = int(self.expected('.status') or (1 if self.is_error else 0))
        if not self.is_error and want_out is None:
            raise Failure('no expected output: %s.out is missing' % self.name)
        if self.is_error and not self.tag and want_err is None:
            raise Failure('no expected error: %s.err is missing' % self.name)
        self.compare('standard output', want_out or b'', out)
        if self.expected('.file') is not None:
            with open(os.path.join(self.tmp, 'out'), 'rb') as f:
                self.compare('the file out', self.expected('.file'), f.read())
        if self.tag:
            tags = set(re.findall(rb'\[(D_[A-Z0-9_]+)\]', err))
            if tags != {self.tag.encode()}:
                raise Failure('expected the tag [%s] alone, got %s in:\n%s' % (
                    self.tag, sorted(tags), err.decode(errors='replace')))
        if want_err is not None or not self.tag:
            self.compare('standard error', want_err or b'', err)
        if status != want_status:
            raise Failure('exit status %d instead of %d' % (status, want_status))

    def start_target(self):
        line = directive(self.text, 'target')
        if not line:
            return None
        words = shlex.split(line)
        words = [self.path(words[0])] + [self.expand(w) for w in words[1:]]
        target = subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True)
        self.pid = target.pid
        if not ready.wait_until(lambda: ready.waits(self.pid) or target.poll() is not None) or \
                target.poll() is not None:
            target.kill()
            raise Failure('the target %s does not wait to be attached to' % line)
        return target

    def run(self):
        target = self.start_target()
        try:
            if self.report:
                result = run_limited(memcheck.prefix(self.report) + self.command(), self.tmp,
                                     MEMCHECK_TIMEOUT)
            else:
                result = run_limited(self.command(), self.tmp, TIMEOUT)
        finally:
            if target:
                target.kill()
                target.wait()
        if self.report:
            findings = memcheck.findings(self.report)
            if findings:
                raise Failure('valgrind says:\n' + findings)
        self.check(*result)

    def run_interpreted(self):
        self.options = ['-x', 'native=off']
        if os.path.exists(os.path.join(self.tmp, 'out')):
            os.remove(os.path.join(self.tmp, 'out'))
        try:
            self.run()
        except Failure as failure:
            raise Failure('with -x native=off: %s' % failure) from failure


def run_limited(command, tmp, seconds):
    """Runs a command. What is left of its own process group in the end (a program that
    dtrace released), and nothing else, is killed; so is all of it over time."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             cwd=tmp, start_new_session=True,
                             env=dict(os.environ, LC_ALL='C', TERM='dumb', TZ='UTC',
                                      XDG_CACHE_HOME='/dev/null'))
        late = False
        try:
            p.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
        out.seek(0)
        err.seek(0)
        texts = out.read(), err.read()
    if late:
        raise Failure('not done after %d s; so far:\n%s\n%s' % (
            seconds, texts[0].decode(errors='replace'), texts[1].decode(errors='replace')))
    return p.returncode, texts[0], texts[1]


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--dtrace', required=True)
    ap.add_argument('--targets', required=True)
    ap.add_argument('--provider', choices=['pid', 'fpid'], default='pid')
    ap.add_argument('--memcheck', action='store_true')
    ap.add_argument('script')
    args = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix='d-test-') as tmp:
        try:
            test = Test(args, tmp)
            test.run()
            if test.is_pair and may_be_native(test.text):
                test.run_interpreted()
        except Failure as failure:
            print('%s: %s' % (args.script, failure))
            return 1
        except Skipped as reason:
            print('%s: skipped: %s' % (args.script, reason))
            return left_out.STATUS
    return 0


if __name__ == '__main__':
    sys.exit(main())
