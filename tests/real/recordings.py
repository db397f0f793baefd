#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs on recordings (-E): what perf has recorded, by its own numbers and by those of the
workload; small recordings that these tests write; damaged ones."""
import collections
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
import perfdata  # noqa: E402
import tracefs  # noqa: E402

TOY = perfdata.Tracepoint(901, 'toy', 'ping', [('int', 'number', 0), ('unsigned long', 'at', 0),
                                               ('char', 'text', 8)])
ENTER = perfdata.Tracepoint(902, 'syscalls', 'sys_enter_openat',
                            [('int', '__syscall_nr', 0), ('unsigned long', 'dfd', 0),
                             ('unsigned long', 'filename', 0)])
EXIT = perfdata.Tracepoint(903, 'syscalls', 'sys_exit_openat',
                           [('int', '__syscall_nr', 0), ('long', 'ret', 0)])
SWITCH = perfdata.Tracepoint(904, 'sched', 'sched_switch',
                             [('char', 'prev_comm', 16), ('int', 'prev_pid', 0),
                              ('int', 'prev_prio', 0), ('long', 'prev_state', 0),
                              ('char', 'next_comm', 16), ('int', 'next_pid', 0),
                              ('int', 'next_prio', 0)])
PARENT = perfdata.Tracepoint(905, 'syscalls', 'sys_enter_getppid', [('int', '__syscall_nr', 0)])
POINTS = [TOY, ENTER, EXIT, SWITCH, PARENT]
EVENTS = [(perfdata.attr(perfdata.TRACEPOINT, t.number), 5000 + i) for i, t in enumerate(POINTS)] \
    + [(perfdata.attr(perfdata.SOFTWARE, 0, 99, True), 5100)]
SECOND = 10 ** 9


def ping(time, pid, number, cpu=0, **more):
    return perfdata.sample(5000, time, pid, cpu, TOY.raw(pid, {'number': number, 'at': number * 3,
                                                               'text': b'ping'}), **more)


def same(expected, found, what):
    harness.check(expected == found, '%s: %s instead of %s', what, found, expected)


def dtrace(*arguments, **kwargs):
    return harness.run([harness.DTRACE, *arguments], **kwargs)


class Folder(tempfile.TemporaryDirectory):
    def write(self, data, name='perf.data'):
        path = os.path.join(self.name, name)
        with open(path, 'wb') as f:
            f.write(data)
        return path

    def __enter__(self):
        super().__enter__()
        return self


def replay(data, *arguments, status=0, **kwargs):
    with Folder() as folder:
        result = dtrace('-E', folder.write(data), *arguments, **kwargs)
    harness.check(result.status == status, '%s', result)
    return result


def both(records, **more):
    """The same records in both forms."""
    return [make(EVENTS, POINTS, records, **more) for make in (perfdata.file, perfdata.pipe)]


def fields():
    """What an event carries, its time, processor, process and name; BEGIN and END."""
    records = [perfdata.comm(70, 'first'), perfdata.comm(71, 'second'),
               ping(5 * SECOND, 70, -4, 3), perfdata.ROUND,
               perfdata.comm(71, 'third', 6 * SECOND),
               ping(7 * SECOND, 71, 8, 1), perfdata.fork(72, 71, 8 * SECOND),
               ping(9 * SECOND, 72, 9), perfdata.ROUND]
    for data in both(records, clock=(1000 * SECOND, 3 * SECOND)):
        result = replay(data, '-qn', '''
            BEGIN { printf("BEGIN %d %d\\n", timestamp, walltimestamp); }
            sdt:toy::ping { printf("%d %d %d %d %s %d %d %s %d %d %d\\n", timestamp, walltimestamp,
                cpu, pid, execname, args[0]->number, args[0]->at, args[0]->text, (int)arg0, arg1,
                ppid); }
            END { printf("END %d\\n", timestamp); }''')
        same('''BEGIN 5000000000 1002000000000
5000000000 1002000000000 3 70 first -4 18446744073709551604 ping -4 -12 0
7000000000 1004000000000 1 71 third 8 24 ping 8 24 0
9000000000 1006000000000 0 72 third 9 27 ping 9 27 71
END 9000000000
''', re.sub(r'\n+$', '\n', result.out), 'events')
    result = replay(both([ping(5, 1, 1)])[0], '-qn', 'BEGIN { trace(walltimestamp); }')
    same('0', result.out.strip(), 'wall clock of a recording that does not tell')


def order():
    """All processors in the order of time, as far as rounds tell."""
    numbers = list(range(2000))
    random.Random(5).shuffle(numbers)
    records = []
    for i in range(0, 2000, 400):
        part = sorted(n for n in numbers if i <= n < i + 400)
        for cpu in (1, 0, 2):
            records += [ping(1000 + n, 70, n, cpu) for n in part if n % 3 == cpu]
        records.append(perfdata.ROUND)
    for data in both(records):
        result = replay(data, '-qn', 'sdt:toy::ping { printf("%d\\n", args[0]->number); }')
        same(list(range(2000)), [int(x) for x in result.out.split()], 'order')


def clock():
    """tick- follows the recording; a gap of years is not waited for."""
    records = [ping(100 * SECOND, 70, 0), ping(int(103.5 * SECOND), 70, 1), perfdata.ROUND]
    program = '''tick-1s { printf("tick %d\\n", timestamp); } tick-3500ms { exit(7); }
        sdt:toy::ping { printf("ping\\n"); }'''
    result = replay(both(records)[0], '-qn', program, status=7)
    same(['ping', 'tick 101000000000', 'tick 102000000000', 'tick 103000000000', 'ping'],
         [x for x in result.out.splitlines() if x], 'ticks')
    records[1] = ping(10 ** 19, 70, 1)
    result = replay(both(records)[0], '-qn', 'tick-5000 { @ = count(); }', timeout=120)
    harness.check(1000000 <= int(result.out) < 1000010, '%s', result)


def classic():
    """syscall, sched and profile on what was recorded."""
    records = [perfdata.comm(70, 'opener'), perfdata.comm(71, 'next')]
    for i in range(50):
        t = 1000 * i
        records += [
            perfdata.sample(5001, t + 1, 70, 0, ENTER.raw(70, {'__syscall_nr': 257, 'dfd': -100,
                                                               'filename': 0x1000 + i})),
            perfdata.sample(5002, t + 2, 70, 0, EXIT.raw(70, {'__syscall_nr': 257,
                                                              'ret': i if i % 5 else -2})),
            perfdata.sample(5004, t + 2, 70, 0, PARENT.raw(70, {'__syscall_nr': 110})),
            perfdata.sample(5003, t + 3, 70, 0, SWITCH.raw(70, {
                'prev_pid': 70, 'prev_state': i % 2, 'next_pid': 71, 'next_prio': 120,
                'next_comm': b'next'})),
            perfdata.sample(5100, t + 4, 71, 0, ip=0xffffffff81000010 + i,
                            misc=perfdata.MISC_KERNEL)]
    records.append(perfdata.ROUND)
    for data in both(records):
        result = replay(data, '-qn', '''
            syscall::openat:entry { @["calls", execname, pid] = count(); @["fd", probefunc,
                (int)arg0] = count(); }
            syscall::get*:entry { @["calls", probefunc, pid] = count(); }
            syscall::openat:return /errno == ENOENT/ { @["failed", probefunc, (int)arg0] = count(); }
            sched:::off-cpu { @["off", execname, args[0]->pr_lwpid] = count(); }
            sched:::on-cpu { @["on", execname, pid] = count(); }
            sched:::sleep { @["sleep", execname, pid] = count(); }
            profile-99 { @["profile", execname, arg0 != 0] = count(); }
            syscall::openat:entry /copyinstr(arg1) == ""/ { @["never", "", 0] = count(); }
            ''')
        found = {tuple(line.split()[:-1]): int(line.split()[-1])
                 for line in result.out.splitlines() if line.strip()}
        same({('calls', 'opener', '70'): 50, ('calls', 'getppid', '70'): 50, ('fd', 'openat', '-100'): 50,
              ('failed', 'openat', '-1'): 10, ('off', 'opener', '71'): 50,
              ('on', 'next', '71'): 50, ('sleep', 'opener', '70'): 25,
              ('profile', 'next', '1'): 50}, found, 'counts')
        same(50, result.err.count('invalid address (0x10'), 'faults of copyinstr()')
        result = replay(data, '-n', 'profile-997 { @ = count(); }')
        harness.check('profile-997 fires for each sample that was recorded: an event, 99 a second'
                      in result.err, '%s', result)


def machine():
    """hwconfig: what a recording says of its machine; what it does not say is refused. Of four
    processors one was off line; the list of them may be cut, or lie."""
    processors = struct.pack('<I', 1) + perfdata.text(b'0-3') + struct.pack('<I', 0)
    for core, chip in ((0, 0), (1, 0), (-1, -1), (5, 1)):
        processors += struct.pack('<ii', core, chip)
    features = {3: perfdata.text(b'box'), 4: perfdata.text(b'6.1.0'), 6: perfdata.text(b'x86_64'),
                7: struct.pack('<II', 4, 3), 8: perfdata.text(b'A Processor'),
                9: perfdata.text(b'AuthenticAMD,25,1,1'), 10: struct.pack('<Q', 2048),
                13: processors}
    program = '''
        hwconfig:::system { printf("S %s %s %s %d\\n", args[0]->hs_release, args[0]->hs_machine,
            args[0]->hs_nodename, args[0]->hs_ncpus); }
        hwconfig:::processor { printf("P %d %d %d %s %s\\n", args[0]->cpu_id, args[1]->hp_core,
            args[0]->cpu_chip, args[1]->hp_vendor, args[1]->hp_model); }
        hwconfig:::memory { printf("M %d %d\\n", args[0]->hm_size, timestamp); }'''
    for data in both([ping(5, 1, 1)], features=features):
        result = replay(data, '-qn', program)
        same(['S 6.1.0 x86_64 box 3', 'P 0 0 0 AuthenticAMD A Processor',
              'P 1 1 0 AuthenticAMD A Processor', 'P 3 5 1 AuthenticAMD A Processor',
              'M 2097152 5', ''], result.out.splitlines(), 'machine')
        for name in ('disk', 'network'):
            result = replay(data, '-n', 'hwconfig:::' + name, status=1)
            harness.check('does not tell this of its machine' in result.err, '%s', result)
    result = replay(both([ping(5, 1, 1)])[0], '-n', 'hwconfig:::processor', status=1)
    harness.check('does not tell this of its machine' in result.err, '%s', result)
    for odd in ({13: processors[:80], 9: b'', 8: b'\xff\xff\xff\x7fabc'},
                {13: struct.pack('<I', 0xffffffff) + bytes(8)}, {7: b'\xff' * 8}):
        result = replay(both([ping(5, 1, 1)], features={**features, **odd})[1], '-qn',
                        'hwconfig:::processor { @ = count(); }')
        same(1 if 7 not in odd else 0, result.out.split().count('3'), 'processors')


def libraries():
    """library:::load: files that were mapped as code while perf recorded, not those before, and
    nothing else; none in a recording without them."""
    records = [perfdata.comm(70, 'prog'), perfdata.mmap2(70, 4096, 4096, 0, '/before'),
               perfdata.mmap2(70, 8192, 12288, 16384, '/lib/a', time=20),
               perfdata.mmap2(70, 4096, 4096, 0, '/data', time=21, misc=0x2000),
               perfdata.mmap2(0xffffffff, 4096, 4096, 0, '/module', time=22),
               perfdata.mmap2(70, 4096, 4096, 0, '//anon', time=23),
               perfdata.mmap2(70, 4096, 4096, 0, '[vdso]', time=24), ping(25, 70, 1),
               perfdata.mmap2(71, 1 << 46, 1, 0, '/lib/' + 'b' * 2000, time=26, build_id=b'x' * 20),
               perfdata.ROUND]
    program = '''library:::load { printf("%s %d %s %d %d %d %d\\n", execname, pid,
        basename(args[0]), args[1], args[2], args[3], timestamp); }
        sdt:toy::ping { trace("ping"); }'''
    with_maps = [(perfdata.attr(perfdata.TRACEPOINT, t.number, maps=not i), 5000 + i)
                 for i, t in enumerate(POINTS)]
    for make in (perfdata.file, perfdata.pipe):
        result = replay(make(with_maps, POINTS, records), '-qn', program, '-x', 'strsize=100')
        same(['prog 70 a 8192 12288 16384 20',
              'ping 71 %s %d 1 0 26' % ('b' * 94, 1 << 46), ''],
             result.out.splitlines(), 'libraries')
    result = replay(both(records)[0], '-n', 'library:::load', status=1)
    harness.check('holds samples' in result.err, '%s', result)


def listed():
    """-l shows what the recording holds; another probe is an error that says it."""
    data = both([ping(5, 1, 1)])[0]
    result = replay(data, '-l')
    probes = collections.Counter(line.split()[1] for line in result.out.splitlines()[1:])
    for provider, n in (('sdt', 5), ('syscall', 3), ('io', 0), ('pid', 0), ('proc', 0)):
        same(n, probes[provider], provider)
    harness.check(probes['sched'] >= 4, '%s', result)
    for probe in ('io:::start', 'proc:::exec', 'syscall::read:entry', 'sdt:toy::pong'):
        result = replay(data, '-n', probe, status=1)
        harness.check('sdt:toy::ping' in result.err and 'holds' in result.err, '%s', result)
    result = replay(data, '-vln', 'sdt:toy::ping')
    harness.check('struct sdt_toy_ping *' in result.out, '%s', result)


def refused():
    """Processes that are to be traced; what is no recording."""
    with Folder() as folder:
        data = folder.write(both([ping(5, 1, 1)])[0])
        fifo = os.path.join(folder.name, 'fifo')
        os.mkfifo(fifo)
        sparse = folder.write(b'PERFILE2' + bytes((16, 0, 0, 0, 0, 0, 0, 0)), 'sparse')
        os.truncate(sparse, 1 << 40)
        for arguments, text in (
                ((data, '-n', 'BEGIN', '-c', 'true'), 'its own processes'),
                ((data, '-n', 'BEGIN', '-p', str(os.getpid())), 'its own processes'),
                ((data, '-n', 'pid%d:::entry' % os.getpid()), 'a recording is replayed'),
                ((data, '-gn', 'BEGIN'), 'exists: choose a new file'),
                ((data + '.not', '-l'), 'No such file'),
                ((folder.name, '-l'), 'it is a directory'), ((fifo, '-l'), 'it is a pipe'),
                (('/dev/zero', '-l'), 'no regular file'), ((__file__, '-l'), 'no recording'),
                ((sparse, '-l'), 'at offset 16: a record of type 0 with 0 bytes'),
                ((folder.write(b'2ELIFREP' + bytes(200), 'other'), '-l'), 'byte order')):
            result = dtrace('-E', *arguments)
            harness.check(result.status == 1 and text in result.err, '%s: %s', text, result)


def damaged():
    """A cut recording: what came before is counted, and the offset is named."""
    records = [ping(1000 + i, 70, i) for i in range(300)] + [perfdata.ROUND]
    file, pipe = both(records)
    count = ('-qn', 'sdt:toy::ping { @ = count(); }')
    with Folder() as folder:
        for n in range(17, len(pipe) - 8, 997):
            n -= n % 8 - 3  # within a record
            path = folder.write(pipe[:n])
            result = dtrace('-E', path, *count)
            harness.check(result.status == 1 and re.search('at offset [0-9]+', result.err),
                          'cut at %d: %s', n, result)
        result = dtrace('-E', path, *count)
        harness.check(0 < int(result.out) < 300, '%s', result)
        for n in range(20, len(file) - 8, 3001):
            result = dtrace('-E', folder.write(file[:n]), *count)
            harness.check(result.status == 1 and re.search('at offset [0-9]+', result.err),
                          'cut at %d: %s', n, result)


def lost_events():
    """Events that perf has lost are counted as drops."""
    records = [ping(1000, 70, 1), perfdata.lost(12345, 2000), ping(3000, 70, 2), perfdata.ROUND]
    result = replay(both(records)[0], '-qn', 'sdt:toy::ping { @ = count(); }')
    harness.check(result.err == 'dtrace: 12345 events missing in the recording: a buffer was full '
                  'when it was made\n' and result.out.strip() == '2', '%s', result)


def stacks():
    """ustack() by the maps that were recorded: the file is used if it is the recorded one."""
    program = harness.target('covered')
    notes = subprocess.run(['readelf', '-nlW', '-s', program], stdout=subprocess.PIPE, check=True,
                           env={**os.environ, 'LC_ALL': 'C'}).stdout.decode()
    build_id = bytes.fromhex(re.search(r'Build ID: ([0-9a-f]+)', notes).group(1))
    offset, vaddr = next((int(m[0], 16), int(m[1], 16)) for m in re.findall(
        r'LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ 0x\w+ R E', notes))
    value = int(re.search(r' ([0-9a-f]+) +\d+ FUNC +GLOBAL +DEFAULT +\d+ main\n', notes).group(1),
                16)
    base = 0x7f0000000000
    pc = base + value - vaddr
    name = os.path.basename(program)
    for who, expected in (({'build_id': build_id}, '%s`main+0x4' % name),
                          ({'inode': os.stat(program).st_ino}, '%s`main+0x4' % name),
                          ({'build_id': bytes(20)}, '%s`0x%x' % (name, pc + 4)),
                          ({}, '%s`0x%x' % (name, pc + 4))):
        records = [perfdata.comm(70, 'prog'), perfdata.mmap2(70, base, 1 << 20, offset, program,
                                                             **who),
                   perfdata.fork(71, 70, 5),
                   ping(1000, 71, 1, chain=[perfdata.KERNEL, 0xffffffff81234567, perfdata.USER,
                                            pc + 4]), perfdata.ROUND]
        for data in both(records):
            result = replay(data, '-qn', 'sdt:toy::ping { ustack(); stack(); @[ustack()] = count(); }',
                            env={'HOME': '/nonexistent'})
            same([expected, '0xffffffff81234567', expected, '1'], result.out.split(), who)


# ---- perf itself ----

def recorded(folder, *options, command, **kwargs):
    path = os.path.join(folder.name, 'perf.data')
    # -N: else it makes hard links to libraries, which changes the files of other tests
    words = [harness.installed('perf'), 'record', '-qN', '-m', kwargs.pop('room', '4M'), *options,
             '-o']
    if kwargs.pop('piped', False):
        words = ['sh', '-c', '"$@" > %s' % path, '-', *words, '-']
    else:
        words.append(path)
    kwargs.setdefault('env', {})['HOME'] = folder.name
    result = harness.run(tracefs.command([*words, '--', *command]), **kwargs)
    if result.status and re.search('not supported|No permission|Permission', result.err):
        raise harness.Skipped(result.err.strip())
    harness.check(result.status == 0, '%s', result)
    return path, result


def script(path, folder):
    result = harness.run([harness.installed('perf'), 'script', '-F', 'event', '-i', path],
                         env={'HOME': folder.name})
    return collections.Counter(re.findall(r'^\s*([\w:-]+):\s*$', result.out, re.M))


WORK = '''
import os, sys
for i in range(1234):
    os.getppid()
print('PID', os.getpid(), file=sys.stderr)
'''


def calls():
    """Tracepoints of all of the machine, in each form, by the numbers of the workload."""
    for options, more in (((), {}), (('-z',), {}), ((), {'piped': True})):
        with Folder() as folder:
            path, result = recorded(folder, '-a', '-e', 'sched:*,syscalls:sys_*_get*', *options,
                               command=[sys.executable, '-c', WORK], **more)
            pid = re.search(r'PID (\d+)', result.err).group(1)
            result = dtrace('-E', path, '-qn', '''
                syscall::getppid:entry /pid == $1/ { @["entry"] = count(); }
                syscall::getppid:return /pid == $1 && arg0 > 0/ { @["return"] = count(); }
                sdt:syscalls::sys_enter_getppid /pid == $1/ { @["event"] = count(); }
                sched:::off-cpu { @["off"] = count(); }''', pid)
            found = dict(line.split() for line in result.out.splitlines() if line.strip())
            wanted = script(path, folder)
        harness.check(len(found) == 4, '%s: %s', options, result)
        same(['1234'] * 3, [found[k] for k in ('entry', 'return', 'event')], options)
        same(wanted['sched:sched_switch'], int(found['off']), 'switches')


# numbers that its name, or a descriptor that nobody else has, tells from others
EVERYTHING = '''
import os
for i in range(1000):
    os.getppid()
for i in range(100):
    try: os.close(70000 + i)
    except OSError: pass
ours, theirs = os.pipe()
os.dup2(theirs, 77)
for i in range(50):
    os.write(77, b'x' * (i + 1))
    os.read(ours, 1000)
for i in range(4):
    if os.fork() == 0: os.execv('/bin/true', ['/bin/true'])
    os.wait()
for i in range(3):
    if os.fork() == 0: os._exit(0)
    os.wait()
back, forth = os.pipe()
if os.fork() == 0:
    os.close(forth)
    while os.read(back, 1): pass
    os._exit(0)
os.close(forth)
os.wait()
'''

ASKED = '''
    sdt:sched::sched_process_fork /execname == @name@/ { child[args[0]->child_pid] = 1;
        @["forked"] = sum(1); }
    proc:::exec-success /execname == "true" && child[pid]/ { @["executed"] = sum(1); }
    proc:::exit /child[pid]/ { @["ended"] = sum(1); }
    syscall::getppid:entry /execname == @name@/ { @["getppid"] = sum(1); }
    syscall::getppid:return /execname == @name@ && arg0 > 0/ { @["return"] = sum(1); }
    syscall::close:entry /execname == @name@ && arg0 >= 70000/ { @["closed"] = sum(arg0); }
    syscall::close:return /execname == @name@ && errno == EBADF/ { @["EBADF"] = sum(1); }
    syscall::write:entry /execname == @name@ && arg0 == 77/ { @["written"] = sum(arg2);
        @sizes = lquantize(arg2, 0, 60, 10); ours[tid] = 1; }
    syscall::write:return /ours[tid]/ { @["wrote"] = sum(arg0); ours[tid] = 0; }
    END { printa("A %s %@d\\n", @); printa(@sizes); }'''


def written_twice(path, folder):
    """Whether perf has written a record twice: the same of one thread, to the nanosecond. Some
    recordings of a whole machine have one such record."""
    result = harness.run([harness.installed('perf'), 'script', '--ns', '-F',
                          'pid,tid,cpu,time,event,trace', '-i', path], env={'HOME': folder.name})
    lines = collections.Counter(result.out.splitlines())
    return max(lines.values(), default=0) > 1


def recorded_calls(program, asked, expected):
    """What the program of D finds in a recording of the workload."""
    for _ in range(3):
        with Folder() as folder:
            path, _ = recorded(folder, '-a', '-e', 'sched:*,syscalls:*', room='64M',
                               command=[program.path, program.script])
            result = dtrace('-E', path, '-qn', asked)
            harness.check(result.status == 0 and not result.err.strip(), '%s', result)
            if calls_of(result.out) == expected or not written_twice(path, folder):
                break
    return result


def calls_of(text):
    return {k: int(n) for k, n in re.findall(r'^A (\S+) (\d+)$', text, re.M)}


def everything():
    """All events of the scheduler and all system calls of the machine, as perf records them: a
    program gives the answers of a live run of the same workload, which knows them."""
    expected = {'getppid': 1000, 'return': 1000, 'closed': sum(range(70000, 70100)), 'EBADF': 100,
                'written': 1275, 'wrote': 1275, 'executed': 4, 'forked': 8, 'ended': 8}
    program = tracefs.Named(EVERYTHING)
    live, _ = program.trace(ASKED, '-b', '4m')
    asked = ASKED.replace('@name@', '"%s"' % program.name)
    result = recorded_calls(program, asked, expected)
    same(expected, calls_of(live), 'live')
    same(expected, calls_of(result.out), 'recorded')
    same(live.split('value', 1)[1].strip(), result.out.split('value', 1)[1].strip(), 'sizes')


def samples():
    """As many samples as perf itself finds, with stacks."""
    with Folder() as folder:
        path, _ = recorded(folder, '-F', '997', '-g', command=[
            sys.executable, '-c', 'for i in range(3000000): pass'])
        result = dtrace('-E', path, '-qn', '''profile-997 { @ = count(); }
            profile-997 /stackdepth + ustackdepth > 0/ { @deep = count(); }''')
        wanted = sum(script(path, folder).values())
    same([wanted, wanted], [int(x) for x in result.out.split()], 'samples')
    harness.check(wanted > 20, 'only %d samples', wanted)


CASES = {'fields': fields, 'order': order, 'clock': clock, 'classic': classic, 'machine': machine, 'libraries': libraries,
         'listed': listed, 'refused': refused, 'damaged': damaged, 'lost': lost_events, 'stacks': stacks,
         'calls': calls, 'everything': everything, 'samples': samples}

if __name__ == '__main__':
    harness.main(CASES)
