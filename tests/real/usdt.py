#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""USDT probes: semaphores of processes that are left in every way, objects that are loaded
later, children, and Debian's own programs."""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from attached import Attached, check_free, text_of, tracers  # noqa: E402
from harness import DTRACE, check, target, traced  # noqa: E402

GUARDED = 'noted$target:::guarded { @["guarded"] = count(); }'


class Noted:
    """The test program noted, which makes rounds without an end."""

    def __init__(self):
        self.process = subprocess.Popen([target('noted'), '0'], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.semaphore = int(self.process.stdout.readline(), 16)
        self.text = text_of(self.pid)

    def value(self):
        with open('/proc/%d/mem' % self.pid, 'rb', buffering=0) as memory:
            memory.seek(self.semaphore)
            return struct.unpack('<H', memory.read(2))[0]

    def set(self, value):
        with open('/proc/%d/mem' % self.pid, 'r+b', buffering=0) as memory:
            memory.seek(self.semaphore)
            memory.write(struct.pack('<H', value))

    def check_left(self, value=0):
        """It is traced no more, its text and its semaphore are as before."""
        harness.until(lambda: not tracers(self.pid), 10, 'the end of its tracing')
        check(self.value() == value, 'semaphore %d instead of %d', self.value(), value)
        after = text_of(self.pid)
        changed = [line for line in self.text if after.get(line) != self.text[line]]
        check(not changed, 'bytes differ in %s', changed)
        check(self.process.poll() is None, 'it has ended: %s', self.process.poll())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def start(noted, program=GUARDED):
    """dtrace -p, when the probe has fired."""
    process = subprocess.Popen(
        [DTRACE, '-x', 'switchrate=20ms', '-qn', program + ' noted$target:::guarded '
         '/!fired_of_test++/ { printf("on\\n"); }', '-p', str(noted.pid)], text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True)
    line = process.stdout.readline()
    check(line == 'on\n', 'dtrace ended: %s %s', line, process.poll())
    return process


def killed(kill):
    """What kill() does to dtrace leaves the process as it was."""
    with Noted() as noted:
        dtrace = start(noted)
        check(noted.value() == 1, 'semaphore %d while it is traced', noted.value())
        kill(noted, dtrace)
        dtrace.communicate()
        noted.check_left()


def interrupted():
    killed(lambda noted, dtrace: dtrace.send_signal(signal.SIGINT))


def kill_dtrace():
    killed(lambda noted, dtrace: dtrace.kill())


def kill_keeper():
    """dtrace itself lowers the semaphore."""
    killed(lambda noted, dtrace: os.kill(*tracers(noted.pid), signal.SIGKILL))


def others():
    """What other tracers have added stays, and what they took away is not taken twice."""
    with Noted() as noted:
        noted.set(5)
        dtrace = start(noted)
        check(noted.value() == 6, 'semaphore %d instead of 6', noted.value())
        dtrace.send_signal(signal.SIGINT)
        dtrace.communicate()
        noted.check_left(5)
        noted.set(0)
        dtrace = start(noted)
        noted.set(0)
        dtrace.send_signal(signal.SIGINT)
        dtrace.communicate()
        noted.check_left(0)


def breakpoints():
    """A clause that resident code cannot run: the same by a breakpoint."""
    with Noted() as noted:
        with Attached([noted.pid], 'noted$target:::guarded { @[execname] = count(); } '
                      'noted$target:::floats { @[arg0 == arg2 ? "same" : "floats"] = count(); }'
                      ) as run:
            check(noted.value() == 1, 'semaphore %d while it is traced', noted.value())
        check({'noted', 'floats'} <= set(run.counts()), 'it fired never: %s', run.out)
        noted.check_left()


def child():
    """A child of fork has no probe and the semaphore as it was; followed, it has both."""
    result = traced('noted$target:::guarded { @[pid == $target ? "parent" : "child"] = count(); }',
                    target('noted') + ' fork')
    check('child 0\n' in result.out, 'the child says %s', result)
    check(harness.counts(result.data) == {'parent': 3}, 'counts: %s', result)
    result = traced('noted$target:::guarded { @[arg0 == 7 ? "child" : "parent"] = count(); }',
                    target('noted') + ' fork', options=['-x', 'follow'])
    check('child 256\n' in result.out, 'the child says %s', result)
    check(harness.counts(result.data) == {'parent': 3, 'child': 1}, 'counts: %s', result)


def later():
    """A library that is loaded while tracing: its constructor hits all sites."""
    with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
        script.write('import ctypes\nctypes.CDLL("%s")\n' % target('noted_plugin.so'))
        script.flush()
        result = traced('noted$target:noted_plugin.so::guarded { @[probemod] = sum(arg1); } '
                        'noted$target:::memory { @[probefunc] = sum(arg3 == arg0); } '
                        'python*:::import-find-load-start { @n[probename] = count(); }',
                        '/usr/bin/python3 ' + script.name, options=['-Z'])
    found = harness.counts(result.data)
    check(found.pop('import-find-load-start', 0) > 0, 'no probe of the program: %s', result)
    check(found == {'noted_plugin.so': 1 + 2 + 3, 'forms': 3}, 'counts: %s', result)


def not_named():
    """A process that only a description names is attached to."""
    with Noted() as noted:
        result = harness.run([DTRACE, '-qn', 'noted%d:::guarded { trace(probefunc); exit(0); }'
                              % noted.pid])
        check(result.status == 0 and 'guarded' in result.out, 'it prints %s', result)
        noted.check_left()


def listed(path, provider, names):
    """The file's probes are listed as readelf(1) has them."""
    result = harness.run([DTRACE, '-x', 'object=' + path, '-l', '-P', provider])
    found = {line.split()[-1] for line in result.out.splitlines()[1:]}
    check(set(names) <= found, '%s has %s', path, sorted(found))


def python():
    """Probes of the interpreter, with their strings, in a process that runs already."""
    program = '/usr/bin/python3'
    listed(program, 'python', ['function-entry', 'function-return', 'line', 'audit'])
    with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
        script.write('import gc\nfor i in range(4): gc.collect()\nopen("/dev/null").close()\n')
        script.flush()
        result = traced('python$target:::audit { @[copyinstr(arg0)] = count(); } '
                    'python$target:::gc-start { @["gc"] = count(); } '
                    'python$target:::gc-done { @["gc"] = count(); }',
                    program + ' ' + script.name)
    found = harness.counts(result.data)
    check(found.get('gc', 0) >= 8 and found.get('open', 0) >= 1, 'counts: %s', result)


def throwing():
    """libstdc++'s own probes: as often thrown, or thrown again, as caught."""
    result = traced('libstdcxx$target:::*throw { @["throw"] = count(); } '
                    'libstdcxx$target:libstdc*::catch { @["catch"] = count(); }',
                    target('throwing'))
    found = harness.counts(result.data)
    check(found.get('throw', 0) > 0 and found['throw'] == found.get('catch'),
          'counts: %s', result)


def script(text, suffix, program, command, **kwargs):
    """traced() of an interpreter and its script."""
    with tempfile.NamedTemporaryFile('w', suffix=suffix) as file:
        file.write(text)
        file.flush()
        return traced(program, command + ' ' + file.name, **kwargs)


def php():
    """Functions of a script, by name: strings that the arguments point to."""
    result = script('<?php function work($n) { return $n * 2; }\n'
                    'for ($i = 0; $i < 10; $i++) work($i);', '.php',
                    'php$target:::function-entry { @[copyinstr(arg0)] = count(); } '
                    'php$target:::function-return { @n[copyinstr(arg0)] = sum(-1); }',
                    harness.installed('php'), env={'USE_ZEND_DTRACE': '1'})
    check(re.findall(r'work +(-?\d+)', result.data) == ['10', '-10'], 'counts: %s', result)


def ruby():
    """A library's probes, with semaphores."""
    result = script('3.times { GC.start }\n', '.rb',
                    'ruby$target:libruby*::gc-mark-begin { @["gc"] = count(); } '
                    'ruby$target:::cmethod-entry { @[copyinstr(arg1)] = count(); }',
                    harness.installed('ruby') + ' --disable=gems')
    found = harness.counts(result.data)
    check(found.get('gc', 0) >= 3 and found.get('times') == 1, 'counts: %s', result)


JAVA = """
class Own {
    static class Extra {}
    static int leaf(int n) { return 13 * n + 6; }
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 50; i++)
            leaf(i);
        new Extra();
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(() -> {}, "own" + i);
            t.start();
            t.join();
            System.gc();
        }
    }
}
"""
JAVA_PROBES = """
    hotspot$target:::vm-*, hotspot$target:::gc-* { @["vm", probename] = count(); }
    hotspot$target:::class-loaded { @["class", copyinstr(arg0, arg1)] = count(); }
    hotspot$target:::class-initialization-clinit { @["first", copyinstr(arg0, arg1)] = count(); }
    hotspot$target:::thread-start, hotspot$target:::thread-stop
    /strtok(copyinstr(arg0, arg1), "012") == "own"/
    {
        @[probename, copyinstr(arg0, arg1)] = count();
    }
    hotspot$target:::method-entry, hotspot$target:::method-return
    /copyinstr(arg1, arg2) == "Own"/
    {
        @[probename, copyinstr(arg3, arg4)] = count();
    }
    END { printa("%s %s %@d\\n", @); }"""
JAVA_COUNTS = {
    'vm': {'vm-init-begin': 1, 'vm-init-end': 1, 'vm-shutdown': 1, 'gc-begin': 3, 'gc-end': 3},
    **{'method-' + k: {'main': 1, 'leaf': 50, 'lambda$main$0': 3} for k in ('entry', 'return')},
    **{'thread-' + k: {'own%d' % i: 1 for i in range(3)} for k in ('start', 'stop')},
}


def java():
    """Strings by address and length, and counts as the virtual machine itself logs them, of a
    library that its launcher loads."""
    with tempfile.TemporaryDirectory(prefix='java-') as folder:
        path, log = os.path.join(folder, 'Own.java'), os.path.join(folder, 'log')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(JAVA)
        done = harness.run([harness.installed('javac'), '-d', folder, path])
        check(done.status == 0, '%s', done)
        result = traced(JAVA_PROBES, '/usr/bin/java -XX:+UseSerialGC -XX:+ExtendedDTraceProbes '
                        '-Xlog:class+load,class+init,gc:file=%s:tags -cp %s Own' % (log, folder),
                        options=['-qZ'])
        with open(log, encoding='utf-8') as file:
            logged = file.read()
    # it writes hidden classes in several ways
    counts = re.findall(r'^(\S+) (.*) (\d+)$', re.sub('[+/]', '.', result.data), re.M)
    found = {kind: {name: int(n) for k, name, n in counts if k == kind} for kind, _, _ in counts}
    for kind, line in (('class', r'\[class,load\] (\S+) source'),
                       ('first', r"\[class,init\] \d+ Initializing '([^']*)'")):
        names = re.findall('^' + line, re.sub('[+/]', '.', logged), re.M)
        check(found.pop(kind) == {n: names.count(n) for n in names} and 'Own$Extra' in names,
              '%s: %s\n%s', kind, result, logged[-2000:])
    check(found == JAVA_COUNTS and logged.count('Pause Full (System.gc())') == 3, '%s', found)


OWN = '''
#include <sys/sdt.h>
int main(void)
{
    volatile double d = 1.5;
    for (int i = 0; i < 3; i++) {
        char c = (char)-i;
        short s = (short)(i * 1000);
        STAP_PROBE5(own, kinds__of__numbers, i, c, s, (unsigned char)200, -i * 5000000000L);
        STAP_PROBE2(own, text, "a string", d);
    }
    return 0;
}
'''


def macros():
    """Probes of <sys/sdt.h>, as compilers place arguments with and without optimisation."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, 'own.c'), os.path.join(folder, 'own')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(OWN)
        for flags in (['-O0'], ['-O2'], ['-O2', '-static']):
            done = harness.run(['cc', *flags, '-o', program, source])
            if 'sys/sdt.h' in done.err:
                raise harness.Skipped('no <sys/sdt.h>: apt-get install systemtap-sdt-dev')
            check(done.status == 0, 'cc: %s', done)
            result = traced('own$target:::kinds-of-numbers { printf("%d %d %d %d %d\\n", '
                            'args[0], args[1], args[2], args[3], args[4]); } own$target:::text '
                            '{ printf("%s %g\\n", copyinstr(arg0), args[1]); }', program,
                            options=['-q'])
            check(result.data.split() == OWN_OUTPUT.split(), '%s: %s', flags, result)


OWN_OUTPUT = '''
0 0 0 200 0 a string 1.5
1 -1 1000 200 -5000000000 a string 1.5
2 -2 2000 200 -10000000000 a string 1.5
'''


CASES = {f.__name__: f for f in (
    interrupted, kill_dtrace, kill_keeper, others, breakpoints, child, later, not_named,
    macros, python, throwing, php, ruby, java)}

if __name__ == '__main__':
    harness.main(CASES)
