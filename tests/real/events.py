#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's events: of programs that know how many they make, of one process and of the
whole machine; what they carry, their order, their stacks; what is lost, and who may."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402

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


def dtrace(*arguments, before=(), **kwargs):
    return harness.run(tracefs.command([*before, harness.DTRACE, *arguments]), **kwargs)


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


def refused():
    """Who may not see the kernel's events is told what would be needed; so is who asks for
    one that there is not."""
    for words, user, text in (
            (['-n', 'sdt:sched::sched_switch'], 'nobody', 'are for root'),
            (['-n', 'sdt:sched::sched_switch {trace(args[1]);}'], None, 'out of range'),
            (['-n', 'sdt:sched::sched_switch {trace(args[0]->nothing);}'], None,
             'nothing is not a member of struct sdt_sched_sched_switch'),
            (['-n', 'sdt:sched::sched_* {trace(args[0]->prev_pid);}'], None, 'unstable set'),
            (['-n', 'sdt:sched::no_such'], None, 'does not match any probes')):
        before = ['setpriv', '--reuid', user, '--clear-groups'] if user else []
        result = dtrace(*words, before=before)
        harness.check(result.status == 1 and text in result.err, 'no %r:\n%s', text, result)


harness.main({case.__name__: case for case in (
    command, attached, machine, fields, stacks, lost, refused)})
