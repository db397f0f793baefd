#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's events: of programs that know how many they make, of one process and of the
whole machine; what they carry, their order, their stacks; what is lost, and who may."""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402
from tracefs import Named, dtrace, no_idle_processor  # noqa: E402

ENTER = 'sdt:syscalls::sys_enter_getppid'

# COUNT calls in the first thread, as many in each of two others, and in a child
CALLS = '''
import os, sys, threading
def calls():
    for i in range(%d):
        os.getppid()
sys.stdin.readline()
threads = [threading.Thread(target=calls) for i in range(2)]
for t in threads: t.start()
calls()
for t in threads: t.join()
if os.fork() == 0:
    calls()
    os._exit(0)
os.wait()
print(os.getpid(), flush=True)
'''


def python(text):
    return '%s -c %s' % (sys.executable, shlex.quote(text))


def lines(result):
    return [line.split() for line in result.out.splitlines() if line.strip()]


def same(expected, found, what):
    harness.check(expected == found, '%s: %s instead of %s', what, found, expected)


def traced_calls(count, *options):
    """The totals of calls by process, in the order of their first call."""
    with tempfile.NamedTemporaryFile('w+') as line:
        line.write('\n')
        line.flush()
        result = dtrace(*options, '-qn', ENTER + '''{ @[pid] = count(); }
            END { printa("CALLS %d %@d\\n", @); }''', '-c', python(CALLS % count),
                        stdin=line.name)
    harness.check(result.status == 0 and not result.err.replace('\n', ''), '%s', result)
    pid = int(re.search(r'^(\d+)$', result.out, re.M).group(1))
    found = {int(a): int(b) for a, b in re.findall(r'^CALLS (\d+) (\d+)$', result.out, re.M)}
    return found.pop(pid, 0), list(found.values())


def command():
    """-c: all threads of the program; its children with follow."""
    same((3000, []), traced_calls(1000), 'calls')
    same((3000, [1000]), traced_calls(1000, '-x', 'follow'), 'calls with a child')


def attached():
    """-p: a process that runs, not another one that does the same."""
    programs = [subprocess.Popen([sys.executable, '-c', CALLS % 500], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL) for i in range(2)]
    inputs = [p.stdin.fileno() for p in programs]
    start = ' '.join('echo >/proc/self/fd/%d;' % fd for fd in inputs)
    result = dtrace('-qwn', 'tick-50ms /!n++/ { system("%s"); }' % start, '-n',
                    ENTER + ' { @[pid] = count(); }', '-p', str(programs[0].pid),
                    pass_fds=inputs)
    for p in programs:
        p.stdin.close()
        p.wait()
    same([[str(programs[0].pid), '1500']], lines(result), 'calls by process')


def machine():
    """Of the whole machine: the programs that are executed, by their path, their names and
    their parents."""
    with tempfile.TemporaryDirectory(prefix='events-') as tmp:
        copy = os.path.join(tmp, 'a.' + 'x' * 40)
        subprocess.run(['cp', '/bin/true', copy], check=True)
        loop = 'for i in 1 2 3 4 5; do %s; done' % copy
        result = dtrace('-qwn', '''
            sdt:sched::sched_process_exec /args[0]->filename == "%s"/ {
                @[execname, basename(stringof(args[0]->filename)), args[0]->pid == pid] = count();
            }
            sdt:sched::sched_process_exit /execname == "%.15s"/ { n++; }
            sdt:sched::sched_process_exit /n == 5/ { exit(0); }
            tick-50ms /!begun++/ { system("%s"); }
            tick-20s { exit(1); }''' % (copy, os.path.basename(copy), loop))
    name = os.path.basename(copy)
    same([[name[:15], name, '1', '5']], lines(result), 'executed')


def calls():
    """syscall, of the machine: each call of a program, its arguments, its result."""
    script = Named('''
import os
for i in range(700): os.getppid()
for i in range(30):
    try: os.close(1000 + i)
    except OSError: pass
if os.fork() == 0:
    for i in range(100): os.getppid()
    os._exit(0)
print(os.wait()[0], os.getpid())
''')
    out, said = script.trace('''
        syscall::getppid:entry /execname == @name@/ { @[pid] = count(); }
        syscall::getppid:return /execname == @name@ && arg0 > 0 && args[1] == arg0/
            { @r[pid] = count(); }
        syscall::close:entry /execname == @name@ && arg0 >= 1000/ { @close = sum(args[0]); }
        syscall::close:return /execname == @name@ && errno/ { @fail[errno, arg0, arg1] = count(); }
        syscall:::entry /execname == @name@/ { @all[probefunc] = count(); }
        END { printa("C %d %@d\\n", @); printa("R %d %@d\\n", @r); printa("S %@d\\n", @close);
            printa("F %d %d %d %@d\\n", @fail); printa("A %s %@d\\n", @all); }''')
    child, parent = said
    for line in ('C %s 100' % child, 'C %s 700' % parent, 'R %s 700' % parent,
                 'S %d' % sum(range(1000, 1030)), 'F 9 -1 -1 30', 'A getppid 800',
                 'A exit_group 2'):
        harness.check(line + '\n' in out, 'no %r:\n%s', line, out)


def processes():
    """proc, of the machine."""
    script = Named('''
import os, threading
for i in range(3):
    t = threading.Thread(target=os.getpid)
    t.start()
    t.join()
for i in range(4):
    if os.fork() == 0: os.execv("/bin/true", ["/bin/true", "an argument"])
    os.wait()
os.kill(os.getpid(), 0)
import signal
signal.signal(signal.SIGUSR1, lambda *_: None)
for i in range(5): os.kill(os.getpid(), signal.SIGUSR1)
''')
    out, _ = script.trace('''
        proc:::create,proc:::lwp-create /execname == @name@/ { @[probename, ""] = count(); }
        proc:::exec-success /execname == "true"/ { @[probename, execname] = count(); }
        proc:::exit /execname == @name@ || execname == "true"/ { @[probename, ""] = count(); }
        proc:::lwp-exit /execname == @name@ || execname == "true"/ { @[probename, ""] = count(); }
        proc:::signal-send /execname == @name@ && args[2] == SIGUSR1/
            { @[probename, args[3] == pid ? "own" : ""] = count(); }
        proc:::signal-handle /execname == @name@ && args[0] == SIGUSR1/
            { @[probename, ""] = count(); }
        END { printa("%s:%s %@d\\n", @); }''')
    found = {line.split()[0]: int(line.split()[1]) for line in out.splitlines() if line.strip()}
    expected = {'create:': 4, 'lwp-create:': 3, 'exec-success:true': 4,
                'exit:': 5, 'lwp-exit:': 8, 'signal-send:own': 5, 'signal-handle:': 5}
    # somebody else may run true as well
    harness.check(all(found.get(key, 0) >= n for key, n in expected.items()) and
                  found['create:'] == 4 and found['signal-handle:'] == 5, '%s', found)


def scheduler():
    """sched: a thread leaves the processor as often as the kernel says, and comes back."""
    script = Named('''
import resource, time
for i in range(200): time.sleep(0.0001)
r = resource.getrusage(resource.RUSAGE_SELF)
print(r.ru_nvcsw, r.ru_nivcsw)
''')
    out, said = script.trace('''
        sched:::off-cpu /execname == @name@/ { off++; }
        sched:::sleep /execname == @name@/ { asleep++; }
        sched:::preempt /execname == @name@/ { preempted++; }
        sched:::on-cpu /execname == @name@/ { on++; }
        sched:::off-cpu /args[1]->pr_fname == @name@/ { before++;
            bad += args[1]->pr_pid != args[0]->pr_lwpid; }
        sched:::wakeup /args[1]->pr_fname == @name@/ { woken++; }
        END { printf("%d %d %d %d %d %d %d\\n",
            off, asleep, preempted, on, before, woken, bad); }''')
    off, asleep, preempted, on, before, woken, bad = map(int, out.split())
    voluntary, involuntary = map(int, said)
    # A sleep whose time is over before the thread has left may count as involuntary.
    harness.check(off == asleep + preempted and asleep >= voluntary and
                  off + 5 >= voluntary + involuntary >= 200 and
                  abs(on - off) < 10 and before >= on - 1 and woken >= 150 and bad == 0,
                  '%s, of them said %s', out, said)


def on_cpu():
    """sched, of one process: it comes to a processor as often as it leaves one, though another
    process leaves it then."""
    program = 'import time\nfor i in range(200): time.sleep(0.0001)'
    with no_idle_processor():
        result = dtrace('-qn', '''
        sched:::on-cpu { on++; bad += pid != $target; }
        sched:::sleep { off++; bad += pid != $target; }
        END { printf("%d %d %d\\n", on >= 200, off >= 200, bad); }''', '-c', python(program))
    same([['1', '1', '0']], lines(result), 'of a process')


def disks():
    """io: what a program writes past the cache comes to a disk."""
    with tempfile.TemporaryDirectory(prefix='events-', dir='/var/tmp') as tmp:
        write = 'dd if=/dev/zero of=%s/file bs=256k count=8 oflag=direct' % tmp
        device = os.stat(tmp).st_dev
        if subprocess.run(write, shell=True, stderr=subprocess.DEVNULL, check=False).returncode or \
                not os.path.exists('/sys/dev/block/%d:%d' % (os.major(device), os.minor(device))):
            raise harness.Skipped('/var/tmp is on no disk')
        with no_idle_processor():
            result = dtrace('-wqn', '''
            io:::start /args[0]->b_flags & B_WRITE/ { started += args[0]->b_bcount;
                named += args[1]->dev_pathname == strjoin("/dev/", args[1]->dev_statname); n++; }
            io:::done /args[0]->b_flags & B_WRITE/ { done += args[0]->b_bcount;
                bad += args[0]->b_error != 0; }
            tick-50ms /!begun++/ { system("%s 2>/dev/null"); ended = 1; }
            tick-50ms /ended && waited++ > 4/ { exit(0); }
            END { printf("%%d %%d %%d %%d\\n", started >= 2 << 20, done >= 2 << 20, bad,
                named == n); }''' % write)
    same([['1', '1', '0', '1']], lines(result), 'requests')


def samples():
    """profile, of the machine: a program's samples are the time that it had."""
    script = Named('''
import time
while time.process_time() < 0.4: pass
print(int(time.process_time() * 1000))
''')
    out, said = script.trace('''
        profile-997 /execname == @name@/ { n++; bad += (arg0 != 0) == (arg1 != 0);
            @[ustack(3)] = count(); }
        profile-997 { @cpus[cpu] = count(); }
        END { printf("N %d %d\\n", n, bad); printa("CPU %d %@d\\n", @cpus); }''')
    n, bad = map(int, re.search(r'^N (\d+) (\d+)$', out, re.M).groups())
    harness.check(bad == 0 and 0.5 < n / 997 / (int(said[0]) / 1000) < 1.5, '%s\n%s', out, said)
    harness.check(len(re.findall('^CPU', out, re.M)) == os.sysconf('SC_NPROCESSORS_ONLN'),
                  'not all processors:\n%s', out)


# a row that the tool prints of a busy machine
TOOLS = {
    'cpus': r'^ +\d+ \S.* +\d+$', 'diskio': r'^\S.* write +\d+ +\d+$',
    'diskfiles': r'^\S.* +write +\S+ +\d+$',
    'disklat': r'^\w+, write, microseconds\n', 'hotkernel': r'^(vmlinux|\w+)`\w+ +\d+$',
    'hardware': r'^processor  \d+ +chip \d+, .*\n',
    'killers': r'^ +\d+ +17 sh +\d+$', 'migrations': r'^(PROGRAM|\S.*) +(FROM|\d+) +(TO|\d+)',
    'newprocs': r'^ +\d+ +\d+ +\d+ /bin/true .*$', 'pagefaults': r'^true +\d+ +\d+$',
    'runqlat': r'^\S+, microseconds\n', 'runtimes': r'^sh, microseconds\n',
    'sleepstacks': r'^ *vmlinux`\w+\+0x\w+$', 'softirqs': r'^ +\d+ +\d+ +\d+$',
    'syscount': r'^true +mmap +\d+$',
    'callfails': r'^true +access +2 +\d+$', 'connections': r'^(connect|refused) .*127\.0\.0\.1 +\d+$',
    'filetop': r'^\S.* +read +\S+ +\d+ +\d+$', 'interrupts': r'^(DEVICE|\S+) +(IRQ|\d+) .*\d*$',
    'libraries': r'^true +/\S*libc\S+ +\d+ +\d+$',
    'lifetimes': r'^true, milliseconds\n', 'netdevices': r'^lo +4 send +\d+ +\d+$',
    'nettop': r'^\S+ +udp  send +\d+ +\d+$', 'openfiles': r'^\S+ +\d+ /\S+$',
    'retransmits': r'^reset by it +\d+ +\d+$', 'runqlen': r'^processor \d+, threads\n',
    'switches': r'^sh +\d+ +\d+$', 'tcplife': r'^127\.0\.0\.1 +\d+ 127\.0\.0\.1 +\d+ +\d+ +\d+$',
    'vitals': r'^ *(?:[1-9]\d* +){4}\d+ +\d+ +\d+$',
}

# a connection, one that is refused, a datagram, again and again
NETWORK = '''
import socket, time
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(('127.0.0.1', 0))
closed = socket.socket()
closed.bind(('127.0.0.1', 0))
while True:
    c = socket.create_connection(s.getsockname())
    d, _ = s.accept()
    c.sendall(b'x' * 100)
    c.close()
    d.recv(100)
    d.close()
    try: socket.create_connection(closed.getsockname())
    except ConnectionRefusedError: pass
    u.sendto(b'y', u.getsockname())
    u.recv(1)
    time.sleep(0.01)
'''


def tools():
    """The tools of samples/machine, all at once, while the machine has something to do."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, '../../samples/machine')
    same(sorted(name + '.d' for name in TOOLS), sorted(os.listdir(folder)), 'tools')
    found = {}

    def run(name):
        found[name] = dtrace('-s', name, *([] if name == 'hardware' else ['2']))

    with tempfile.TemporaryDirectory(prefix='events-', dir='/var/tmp') as tmp:
        work = subprocess.Popen(
            ['sh', '-c', 'while :; do /bin/true says hello; dd if=/dev/zero of=%s/f bs=64k count=4 '
             'conv=fsync; done' % tmp], stderr=subprocess.DEVNULL, start_new_session=True)
        network = subprocess.Popen([sys.executable, '-c', NETWORK])
        threads = [threading.Thread(target=run, args=(name,)) for name in TOOLS]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        os.killpg(work.pid, signal.SIGKILL)
        work.wait()
        network.kill()
        network.wait()
    for name, row in TOOLS.items():
        harness.check(name in found, '%s did not run', name)
        result = found[name]
        # so many of them at once may be too slow for the events of a busy machine
        said = re.sub(r'dtrace: \d+ events of the kernel lost: its buffer was full\n', '', result.err)
        harness.check(result.status == 0 and not said.strip() and
                      re.search(row, result.out, re.M), '%s: no %s\n%s', name, row, result)


def fields():
    """args[0] and arg0 ...: numbers, texts of fixed and of other length, pointers; the list of
    them by -lv."""
    with tempfile.TemporaryDirectory(prefix='events-') as tmp:
        path = os.path.join(tmp, 'y' * 100)
        seen = os.path.join(tmp, 'seen')
        program = 'import os\nos.open("%s", os.O_CREAT | os.O_WRONLY, 0o640)\n' \
            'while not os.path.exists("%s"): pass' % (path, seen)
        result = dtrace('-qwn', '''
            sdt:syscalls::sys_enter_openat
            /copyinstr((uintptr_t)args[0]->filename) == "%s"/ {
                printf("%%d %%s %%d %%o %%d %%d\\n", args[0]->dfd, args[0]->filename,
                    arg2 == (uintptr_t)args[0]->filename, args[0]->mode,
                    (args[0]->flags & 0101) == 0101, args[0]->common_pid == tid);
                self->in = 1;
                system("touch %s");
            }
            sdt:syscalls::sys_exit_openat /self->in/ {
                printf("%%d %%d\\n", args[0]->ret > 2, arg1 == args[0]->ret); self->in = 0;
            }
            sdt:sched::sched_process_exit { printf("%%s %%d %%d\\n", args[0]->comm,
                args[0]->pid == pid, arg1 == pid); }''' % (path, seen), '-c', python(program))
    same([['-100', path, '1', '640', '1', '1'], ['1', '1'],
          [os.path.basename(sys.executable)[:15], '1', '1']],
         lines(result), 'fields')
    listing = dtrace('-lvn', 'sdt:sched::sched_process_exec,sdt:syscalls::sys_enter_openat').out
    for text in ('args[0]: struct sdt_sched_sched_process_exec *\n',
                 '\t\t\tfilename: char [256]\n', '\t\t\told_pid: pid_t\n',
                 '\t\t\tfilename: const char *\n', '\t\t\tflags: int\n'):
        harness.check(text in listing, 'no %r:\n%s', text, listing)


def stacks():
    """stack() has names of the kernel's functions, ustack() those of the program; the time of
    events ascends over all processors."""
    program = harness.target('threads')
    result = dtrace('-qn', '''
        uint64_t last, back, n;
        sdt:sched::sched_switch { @[stack(3)] = count(); @u[ustack(50)] = count(); }
        sdt:sched:: { back += timestamp < last; last = timestamp; n++; }
        END { printf("BACK %d %d\\n", back, n > 0); }''', '-c', program)
    harness.check(re.search(r'^ +vmlinux`__schedule\+0x\w+\n +vmlinux`schedule', result.out, re.M),
                  'no stack of the kernel:\n%s', result)
    harness.check(re.search(r'^ +(threads|libc\.so\.6)`\w+', result.out, re.M),
                  'no stack of the program:\n%s', result)
    harness.check('BACK 0 1\n' in result.out, 'not in order:\n%s', result)


def pythonless():
    """Stacks of events have no frames of Python, which is said where there are no others."""
    said = "-x pystack: stacks of the kernel's events have no frames of Python"
    for more, is_said in (('', True), ('syscall::getppid:entry { ustack(); } ', False)):
        for option in ('pystack', 'pystack=no'):
            result = dtrace('-x', option, '-n', ENTER + ' { ustack(3); } ' + more, '-c', 'true')
            harness.check(result.status == 0 and
                          (said in result.err) == (is_said and option == 'pystack'),
                          '%s %s: %s', more, option, result)


def lost():
    """What a buffer has no room for is counted: with what has been seen it is all."""
    with tempfile.NamedTemporaryFile('w+') as line:
        line.write('\n')
        line.flush()
        result = dtrace('-b', '64k', '-qn', ENTER + '''{ n++; }
            diag:::lostevent /arg1 == 7/ { lost += arg0; }
            END { printf("ALL %d %d\\n", n + lost, n > 0); }''',
                        '-c', python(CALLS % 50000), stdin=line.name)
    harness.check('ALL 150000 1\n' in result.out, '%s', result)
    harness.check(not result.err.strip() or re.search(
        r'^dtrace: \d+ events? of the kernel lost: its buffer was full$', result.err, re.M),
                  '%s', result)


def stalled():
    """A process whose page does not come to a reader makes dtrace wait once, not at each event.
    The leak sanitizer would wait for the thread that reads there."""
    program = subprocess.Popen([harness.target('stalled'), 'page'], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    try:
        if b'ready' not in program.stdout.readline():
            raise harness.Skipped('userfaultfd is not permitted here')
        with open('/proc/%d/smaps' % program.pid, encoding='utf-8') as f:
            page = re.search(r'^([0-9a-f]+)-\S+ rw-p(?:(?!VmFlags).*\n)+VmFlags:.* um\b', f.read(),
                             re.M).group(1)
        result = dtrace('-qn', '''
            syscall:::entry /execname == "stalled"/ { n++; copyin(0x%s, 1); }
            ERROR { bad++; }
            tick-1s /n >= 100/ { printf("%%d\\n", bad == n); exit(0); }''' % page,
                        env={'ASAN_OPTIONS': 'detect_leaks=0'})
        same([['1']], lines(result), 'faults')
    finally:
        program.stdin.close()
        program.wait()


def refused():
    """Who may not see the kernel's events is told what would be needed; so is who asks for
    one that there is not."""
    for words, user, text in (
            (['-n', 'sdt:sched::sched_switch'], 'nobody', 'are for root'),
            (['-n', 'sdt:sched::sched_switch {trace(args[1]);}'], None, 'out of range'),
            (['-n', 'sdt:sched::sched_switch {trace(args[0]->nothing);}'], None,
             'nothing is not a member of struct sdt_sched_sched_switch'),
            (['-n', 'sdt:sched::sched_* {trace(args[0]->prev_pid);}'], None, 'unstable set'),
            (['-n', 'sdt:sched::no_such'], None, 'does not match any probes'),
            (['-n', 'sched:::of-cpu'], None, 'did you mean')):
        before = ['setpriv', '--reuid', user, '--clear-groups'] if user else []
        result = dtrace(*words, before=before)
        harness.check(result.status == 1 and text in result.err, 'no %r:\n%s', text, result)


def unmounted():
    """Without the list of tracepoints each provider says what it has instead."""
    for description, text in (
            ('sdt:sched::sched_switch', 'mount -t tracefs tracefs /sys/kernel/tracing'),
            ('syscall::read:entry', 'name one by -c or -p, or by a predicate such as /pid == 42/; '
             'for root, with /sys/kernel/tracing mounted, they are those of the machine'),
            ('proc:::exit', 'name one by -c or -p'),
            # only a conjunct names a process: others would be left out in silence
            ('syscall::read:entry /pid == 1 || execname == "init"/ { }', 'name one by -c or -p'),
            ('syscall::read:entry /pid != 1/ { }', 'name one by -c or -p'),
            ('syscall::read:entry /!(pid == 1)/ { }', 'name one by -c or -p'),
            ('library:::load', 'has those that any process loads'),
            ('io:::start', 'for root, with /sys/kernel/tracing mounted'),
            ('sched:::off-cpu', 'for root, with /sys/kernel/tracing mounted')):
        result = harness.run(tracefs.without([harness.DTRACE, '-n', description]))
        harness.check(result.status == 1 and text in result.err, 'no %r:\n%s', text, result)


harness.main({case.__name__: case for case in (
    command, attached, machine, calls, processes, scheduler, on_cpu, disks, samples, tools, fields,
    stacks, pythonless, lost, stalled, refused, unmounted)})
