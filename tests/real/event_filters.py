#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which events of the kernel reach dtrace: what predicates ask for the kernel tests already."""
import os
import re
import shlex
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import tracefs  # noqa: E402

# 400 calls that fail, 300 that give its parent, in a thread that renames itself half way
WORK = '''
import ctypes, os
libc = ctypes.CDLL(None)
def work(n):
    for i in range(n):
        try: os.close(1000 + i)
        except OSError: pass
    for i in range(n * 3 // 4): os.getppid()
work(200)
libc.prctl(15, b"renamed")
work(200)
'''

# a predicate of a probe, what it asks of the kernel (a pattern), and its hits
ROWS = (
    ('sdt:raw_syscalls::sys_enter', 'args[0]->id == 110', r'id == 110', 300),
    ('sdt:raw_syscalls::sys_exit', 'args[0]->id == 3 && args[0]->ret == -9', None, 400),
    ('sdt:raw_syscalls::sys_exit', 'args[0]->ret == -9 || arg0 == 110', None, 700),
    ('sdt:raw_syscalls::sys_exit', '!(args[0]->id != 110)', r'id == 110', 300),
    ('sdt:raw_syscalls::sys_exit', '(args[0]->id & 0x6e) && args[0]->id == 110', None, 300),
    ('sdt:raw_syscalls::sys_enter', 'args[0]->id == 110 && execname == "renamed"', None, 150),
    ('sdt:raw_syscalls::sys_enter', 'strstr(execname, "named") != NULL && arg0 == 110', None, 150),
    ('sdt:raw_syscalls::sys_enter', 'arg0 == 110 && pid != 0 && tid == $target', None, 300),
    ('sdt:raw_syscalls::sys_enter', 'arg0 == 110 && n++ < 7', r'id == 110', 7),
    ('sdt:raw_syscalls::sys_enter', 'n++ < 1000000 && arg0 == 110', '', 300),
    ('sdt:task::task_rename', 'args[0]->newcomm == "renamed"', r'newcomm == "renamed"', 1),
    ('sdt:task::task_rename', 'args[0]->newcomm != "renamed" && args[0]->oldcomm == "renamed"',
     None, 0),
)


# the same of the whole machine, in which the program is called @name@, then @other@
MACHINE = (
    ('syscall::close:return', 'errno == EBADF && execname == "@name@"',
     'id == 3 && ret == -9 && COMM == "@name@"', 200),
    ('syscall::close:return,syscall::getppid:return',
     'execname == "@name@" && arg0 == -1 && errno', None, 200),
    ('syscall::getppid:entry', 'execname == "@name@"', 'id == 110 && COMM == "@name@"', 150),
    ('syscall::getppid:return', 'strstr(execname, "@name@") != NULL && arg0 > 0',
     'id == 110 && COMM ~ "*@name@*" && ret > 0', 150),
    ('syscall:::return', 'execname == "@name@" && probefunc == "getppid"', 'COMM == "@name@"', 150),
    ('sdt:sched::sched_process_fork', 'args[0]->parent_comm == "@name@"',
     'parent_comm == "@name@"', 0),
    ('sdt:sched::sched_process_exit', 'args[0]->comm == "@other@" && self->x == 0',
     'comm == "@other@"', 1),
)


def run(program, option, *arguments):
    """The hits, the filter (None: there was none) and how many events were read."""
    result = harness.run(tracefs.command([
        harness.DTRACE, '-wx', 'kfilter=' + option, '-qn',
        'self int x; int n; ' + program + ' END { printa("HITS %@d\\n", @); }', *arguments]),
        env={'DTRACE_DEBUG': 'events'})
    harness.check(result.status == 0 and 'events were read' in result.err, '%s', result)
    hits = re.search(r'^HITS (\d+)$', result.out, re.M)
    found = re.search(r'^events: \S+: filter (.*)\nevents: taken$', result.err, re.M)
    read = re.search(r'^events: (\d+) events were read$', result.err, re.M)
    return int(hits.group(1)) if hits else 0, found and found.group(1), int(read.group(1))


def check(row, hits, text):
    harness.check(hits == row[3], '%s: %d hits with %r', row[:2], hits, text)
    if row[2] is None:
        harness.check(text, '%s: the kernel takes no filter', row[:2])
    else:
        harness.check((text or '') == row[2], '%s: the filter is %r', row[:2], text)


def process():
    """The hits are the same with and without the kernel's tests; with them only these events
    are read."""
    command = '%s -c %s' % (sys.executable, shlex.quote(WORK))
    for row in ROWS:
        program = '%s /%s/ { @ = count(); }' % row[:2]
        hits, text, read = run(program, 'on', '-c', command)
        check(row, hits, text)
        if text and 'n++' not in row[1]:
            harness.check(read == hits, '%s: %d of %d events', row[:2], hits, read)
        if row in (ROWS[0], ROWS[5], ROWS[-1]):
            hits, text, read = run(program, 'off', '-c', command)
            harness.check(hits == row[3] and read > hits and not text,
                          '%s: %d of %d events without a filter', row[:2], hits, read)


def machine():
    """The same of a program among all others."""
    with tempfile.TemporaryDirectory(prefix='filters-') as tmp:
        name, other = 'ev%d' % os.getpid(), 'as%d' % os.getpid()
        os.symlink(sys.executable, os.path.join(tmp, name))
        with open(os.path.join(tmp, 'work'), 'w', encoding='utf-8') as f:
            f.write(WORK.replace('renamed', other))
        for row in MACHINE:
            row = [x.replace('@name@', name).replace('@other@', other) if isinstance(x, str)
                   else x for x in row]
            program = '''%s /%s/ { @ = count(); hits++; }
                tick-20ms /!begun++/ { system("%s/%s %s/work </dev/null"); ended = 1; }
                tick-20ms /ended && hits >= %d && waited++ > 4/ { exit(0); }
                tick-30s { exit(0); }''' % (*row[:2], tmp, name, tmp, row[3])
            with tracefs.no_idle_processor():
                check(row, *run(program, 'on')[:2])
            if row[0] == 'syscall::close:return':
                with tracefs.no_idle_processor():
                    hits, text, _ = run(program, 'off')
                harness.check(hits == row[3] and text == 'id == 3',
                              '%s: %d hits with %r', row[:2], hits, text)


def listed(*options):
    """The probes that sdt::: matches."""
    result = harness.run(tracefs.command([harness.DTRACE, '-l', *options, '-n', 'sdt:::']))
    harness.check(result.status == 0, '%s', result)
    return {(words[2], words[3]) for words in map(str.split, result.out.splitlines()[1:])}


def keywords():
    """-x keyword and -x level leave events out, by the installed lists and one's own."""
    everything = listed()
    for option, holds, lacks in (
            ('keyword=sched', ('sched', 'sched_switch'), ('irq', 'irq_handler_entry')),
            ('keyword=process', ('sched', 'sched_process_exec'), ('sched', 'sched_switch')),
            ('level=info', ('task', 'task_rename'), ('sched', 'sched_switch')),
            ('level=verbose', ('sched', 'sched_switch'), None)):
        found = listed('-x', option)
        harness.check(holds in found and lacks not in found and found <= everything and
                      (lacks or found == everything), '%s: %s', option, found)
    both = listed('-x', 'keyword=sched,irq', '-x', 'level=info')
    harness.check(('sched', 'sched_process_exec') in both and
                  both == listed('-x', 'keyword=sched,irq') & listed('-x', 'level=info'),
                  '%s', both)
    with tempfile.NamedTemporaryFile('w+') as lists:
        own = ['-x', 'eventlists=' + lists.name, '-x', 'keyword=mine']
        lists.write('keyword mine: sched:sched_sw* task\n')
        lists.flush()
        same = {e for e in everything if e[1].startswith('sched_sw') or e[0] == 'task'}
        found = listed(*own)
        harness.check(found == same, '%s instead of %s', found, same)
        for words, text in (
                (['-n', 'sdt:irq::irq_handler_entry'], 'left out by -x keyword= and -x level='),
                (['-x', 'keyword=other', '-n', 'BEGIN'], "no keyword 'other'; there are ")):
            result = harness.run(tracefs.command([harness.DTRACE, *own, *words]))
            harness.check(result.status == 1 and text in result.err, 'no %r: %s', text, result)
        lists.write('keyword mine\n')
        lists.flush()
        result = harness.run([harness.DTRACE, *own, '-n', 'BEGIN'])
        harness.check(result.status == 1 and '%s:2: a line is' % lists.name in result.err,
                      '%s', result)


# a description without probes, and what it may have meant
MEANT = (
    ('sdt:sched::sched_swich', 'sdt:sched::sched_switch'),
    ('sdt:schd::sched_switch', 'sdt:sched::sched_switch'),
    ('sdt:schd::sched_swich', 'sdt:sched::sched_switch'),
    ('sdt:sched::sys_enter_openat', 'sdt:syscalls::sys_enter_openat'),
    ('sdt:::sched_swich', 'sdt:::sched_switch'),
    ('sdt:sched:sched_switch', 'sdt:sched::sched_switch'),
    ('sched:sched_switch', 'sdt:sched::sched_switch'),
    ('sched::sched_swich', 'sdt:sched::sched_switch'),
    ('tracepoint:sched:sched_switch', 'sdt:sched::sched_switch'),
    ('tracepoint:syscalls:sys_enter_openat', 'syscall::openat:entry'),
    ('sdt:sched::no_such', None),
    ('sdt:sched::no_such*', None),
    ('nothing::sched_switches', None),
)


def mistyped():
    """A mistyped event, and one that is written as for another tool."""
    for description, meant in MEANT:
        result = harness.run(tracefs.command([harness.DTRACE, '-n', description]))
        found = re.search("did you mean '(.*)'", result.err)
        harness.check(result.status == 1 and 'does not match any probes' in result.err and
                      (found and found.group(1)) == meant, '%s: %s', description, result)


harness.main({case.__name__: case for case in (process, machine, keywords, mistyped)})
