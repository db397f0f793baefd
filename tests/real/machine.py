#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The providers of the whole machine: of a program that knows how many connections, datagrams,
page faults, processes and calls it makes; what no event of the kernel tells is refused."""
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402
from tracefs import Named, command, dtrace, no_idle_processor  # noqa: E402


def found(out, tag):
    """The lines of a tag, without it."""
    return sorted(line.split(' ', 1)[1] for line in out.splitlines()
                  if line.startswith(tag + ' '))


def same(expected, seen, what):
    harness.check(expected == seen, '%s: %s instead of %s', what, seen, expected)


def tcp():
    """100 connections and 10 refused ones, 100 bytes in each, by their port; the states of both
    ends."""
    script = Named('''
import socket, threading
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen(200)
def serve():
    for i in range(100):
        c, _ = s.accept()
        while c.recv(1000): pass
        c.close()
t = threading.Thread(target=serve)
t.start()
for i in range(100):
    c = socket.create_connection(s.getsockname())
    c.sendall(b'x' * 100)
    c.close()
t.join()
name = s.getsockname()
s.close()
for i in range(10):
    try: socket.create_connection(name)
    except ConnectionRefusedError: pass
print(name[1])
''')
    out, said = script.trace('''
        tcp:::connect-request /execname == @name@/ {
            @["request", args[4]->tcp_dport, args[2]->ip_daddr, args[3]->tcps_rport] = count(); }
        tcp:::connect-established { @["established", args[4]->tcp_sport, args[2]->ip_saddr,
            args[3]->tcps_rport] = count(); }
        tcp:::connect-refused { @["refused", args[4]->tcp_sport, args[2]->ip_saddr,
            args[3]->tcps_rport] = count(); }
        tcp:::accept-established { @["accepted", args[4]->tcp_dport, args[2]->ip_daddr,
            args[3]->tcps_lport] = count(); }
        tcp:::receive /args[3]->tcps_local/ { @r["received", args[4]->tcp_dport,
            args[2]->ip_saddr, args[3]->tcps_lport] =
            sum(args[2]->ip_plength - args[4]->tcp_offset); }
        tcp:::send /execname == @name@ && pid == args[1]->cs_pid/ {
            @sent = sum(args[2]->ip_plength - args[4]->tcp_offset); }
        tcp:::state-change { @s[args[3]->tcps_lport, tcp_state_string[args[5]->tcps_state],
            tcp_state_string[args[3]->tcps_state]] = count(); }
        END { printa("T %s %d %s %d %@d\\n", @); printa("S %@d\\n", @sent);
            printa("R %s %d %s %d %@d\\n", @r); printa("C %d %s %s %@d\\n", @s); }''')
    port = said[0]
    same(['accepted %s 127.0.0.1 %s 100' % (port, port),
          'established %s 127.0.0.1 %s 100' % (port, port),
          'refused %s 127.0.0.1 %s 10' % (port, port),
          'request %s 127.0.0.1 %s 110' % (port, port)],
         [line for line in found(out, 'T') if line.split()[1] == port], 'connections')
    same(['10000'], found(out, 'S'), 'bytes sent')
    received = [line for line in found(out, 'R') if line.split()[1] == port]
    # a segment may come twice, if the machine was late
    harness.check(len(received) == 1 and int(received[0].split()[-1]) >= 10000 and
                  '127.0.0.1 %s ' % port in received[0], '%s', received)
    states = [line.split(' ', 1)[1] for line in found(out, 'C') if line.split()[0] == port]
    for line in ('state-listen state-syn-received 100', 'state-syn-received state-established 100',
                 'state-established state-close-wait 100', 'state-close-wait state-last-ack 100',
                 'state-last-ack state-closed 100', 'state-listen state-closed 1'):
        harness.check(line in states, 'no %s: %s', line, states)


def datagrams():
    """udp and ip: 50 datagrams of 30 bytes, which pass the loopback device; one that is looked
    at twice has come once."""
    script = Named('''
import socket
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(('127.0.0.1', 0))
for i in range(50): u.sendto(b'y' * 30, u.getsockname())
for i in range(50):
    u.recv(100, socket.MSG_PEEK)
    u.recv(100)
''')
    out, _ = script.trace('''
        udp::: /execname == @name@ && args[1]->cs_pid == pid/ {
            @[probename, args[4]->udp_length, args[2]->ip_plength, args[2]->ip_ver] = count(); }
        ip:::send,ip:::receive
        /execname == @name@ && args[3]->if_local && args[2]->ip_plength == 38/ {
            @i[probename, args[3]->if_name, args[2]->ip_ver] = count(); }
        END { printa("U %s %d %d %d %@d\\n", @); printa("I %s %s %d %@d\\n", @i); }''')
    same(['receive 38 38 4 50', 'send 38 38 4 50'], found(out, 'U'), 'datagrams')
    same(['receive lo 4 50', 'send lo 4 50'], found(out, 'I'), 'packets')


FAULTS = '''
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
AT, SIZE = 0x6f0000000000, 1000 * 4096
assert libc.mmap(AT, SIZE, 3, 0x100022, -1, 0) == AT
libc.madvise(AT, SIZE, 15)
for i in range(1000): ctypes.c_char.from_address(AT + i * 4096).value = b'x'
'''


def memory():
    """pf: 1000 pages are touched the first time, each by writing; vminfo counts the same faults."""
    out, _ = Named(FAULTS).trace('''
        pf:::user /execname == @name@/ { all++; }
        vminfo:::as_fault /execname == @name@/ { counted += arg0; }
        pf:::user /execname == @name@ && args[0] >= 0x6f0000000000 &&
            args[0] < 0x6f0000000000 + 1000 * 4096/ {
            @["write", (args[2] & 2) / 2, args[1] != 0] = count(); }
        END { printa("F %s %d %d %@d\\n", @); printf("A %d\\n", all == counted); }''')
    same(['write 1 1 1000'], found(out, 'F'), 'faults')
    same(['1'], found(out, 'A'), 'counts')


def counters():
    """cpc: each page fault of a process in its program, each tenth of them; where it was. The
    kernel counts the tenth on each processor by itself."""
    program = Named(FAULTS)
    command = '%s %s' % (sys.executable, program.script)
    for period, slack in ((1, 0), (10, 10 * (os.sysconf('SC_NPROCESSORS_ONLN') + 1))):
        result = dtrace('-b', '4m', '-qn', '''
            pf:::user { all++; }
            cpc:::page-faults-user-%d { n++; bad += !arg1 || arg0; }
            END { printf("C %%d %%d %%d\\n", all > 1000, bad,
                n * %d <= all && n * %d >= all - %d); }''' % (period, period, period, slack),
                        '-c', command)
        same(['1 0 1'], found(result.out, 'C'), 'faults by %d' % period)
    result = dtrace('-n', 'cpc:::page-faults-user-1,cpc:::page-faults-all-1 { exit(0); }')
    harness.check(result.status == 1 and 'two probes of one counter' in result.err, '%s', result)
    listing = dtrace('-lP', 'cpc').out
    harness.check(' page-faults-all-1' in listing and ' cpu-clock-all-1000000' in listing, '%s',
                  listing)
    has_cycles = ' cpu-cycles-all-' in listing
    for name, text in (('page-faults-user-0', 'at least 1'),
                       ('cpu-clock-all-1000', 'at least 200000'),
                       ('page-faults-100', 'EVENT-MODE-COUNT'), ('page-faults', 'EVENT-MODE-COUNT'),
                       ('no-such-all-100', 'dtrace -lP cpc'),
                       ('PAPI_tot_cyc-user-10000', 'this machine has no such counter')):
        result = dtrace('-n', 'cpc:::%s { exit(0); } tick-1s { exit(0); }' % name)
        harness.check(has_cycles and 'PAPI' in name or
                      result.status == 1 and text in result.err, 'no %r:\n%s', text, result)


def counts():
    """sysinfo and fsinfo: processes, threads, calls and bytes of a program. It lives on until
    its file has been looked at, which has a descriptor that no other file had before."""
    script = Named('''
import os, threading, time
SEEN = %r
for i in range(5):
    if os.fork() == 0: os._exit(0)
    os.wait()
for i in range(3):
    t = threading.Thread(target=os.getpid)
    t.start()
    t.join()
first = os.open('/dev/zero', os.O_RDWR)
f = os.dup2(first, 77)
os.close(first)
for i in range(20): os.read(f, 7777)
for i in range(10): os.pread(f, 5555, 0)
for i in range(30): os.write(f, b'x' * 3333)
while not os.path.exists(SEEN): pass
''')
    seen = script.script + '.seen'
    with open(script.script, 'r+', encoding='utf-8') as f:
        text = f.read() % seen
        f.seek(0)
        f.write(text)
    out, _ = script.trace('''
        sysinfo:::sysfork,sysinfo:::nthreads /execname == @name@/ { @[probename] = sum(arg0); }
        sysinfo:::readch /execname == @name@ && (arg0 == 7777 || arg0 == 5555)/ {
            @[probename] = sum(arg0); }
        sysinfo:::writech /execname == @name@ && arg0 == 3333/ { @[probename] = sum(arg0); }
        sysinfo:::sysread /execname == @name@/ { reads += arg0; }
        syscall::*read*:entry /execname == @name@ && probefunc != "readlink" &&
            probefunc != "readlinkat" && probefunc != "readahead"/ { calls++; }
        sysinfo:::pswitch { all += arg0; }
        sched:::off-cpu { switches++; }
        fsinfo:::read,fsinfo:::write
        /execname == @name@ && args[0]->fi_pathname == "/dev/zero"/ {
            @f[probename, args[1]] = count(); }
        fsinfo:::open /execname == @name@/ { @open = count(); }
        fsinfo:::write /execname == @name@ && args[1] == 3333 && ++n == 30/ {
            system("touch %s"); }
        proc:::exit /execname == @name@ && n >= 30/ { exit(0); }
        END { printa("S %%s %%@d\\n", @); printa("F %%s %%d %%@d\\n", @f);
            printa("O %%@d\\n", @open);
            printf("E %%d %%d\\n", reads == calls, all == switches); }''' % seen, waits=False)
    same(['nthreads 3', 'readch %d' % (20 * 7777 + 10 * 5555), 'sysfork 5',
          'writech %d' % (30 * 3333)], found(out, 'S'), 'counts')
    harness.check(int(found(out, 'O')[0]) > 0, 'no file was opened: %s', out)
    same(['read 5555 10', 'read 7777 20', 'write 3333 30'], found(out, 'F'), 'files')
    same(['1 1'], found(out, 'E'), 'the same events by other providers')


def queues():
    """sched: a thread that sleeps 200 times comes to a queue as often, and from it to a
    processor."""
    out, _ = Named('import time\nfor i in range(200): time.sleep(0.0001)').trace('''
        sched:::enqueue /args[1]->pr_fname == @name@/ { queued++; bad += args[2]->cpu_id > 4095; }
        sched:::dequeue /args[1]->pr_fname == @name@/ { taken++; bad += args[2]->cpu_id != cpu;
            bad += args[1]->pr_pid != args[0]->pr_lwpid; }
        sched:::on-cpu /execname == @name@/ { on++; }
        END { printf("Q %d %d %d %d\\n", queued, taken, on, bad); }''')
    queued, taken, on, bad = map(int, found(out, 'Q')[0].split())
    # new, and renamed while it runs, it may have had another name in a queue
    harness.check(queued >= 200 and abs(taken - queued) < 5 and abs(taken - on) < 5 and not bad,
                  '%s', out)


def interrupts():
    """irq: each piece of work that was left for later ends on its processor; interrupts have
    names."""
    out, _ = Named('import time\nfor i in range(100): time.sleep(0.001)').trace('''
        irq:::softirq-entry { n++; depth[cpu]++; bad += args[1] == "<unknown>"; }
        irq:::softirq-return { bad += args[0] > 9; depth[cpu]--; }
        irq:::isr-entry { inside[cpu] = args[0]; bad += args[1] == ""; }
        irq:::isr-return { bad += inside[cpu] && inside[cpu] != args[0]; }
        tick-10ms { wrong += depth[0] > 1 || depth[1] > 1; }
        END { printf("I %d %d %d\\n", n > 0, bad, wrong); }''')
    same(['1 0 0'], found(out, 'I'), 'interrupts')


def processes():
    """proc: what of it no traced process is needed for: beginnings, paths, failures, signals that
    are ignored or waited for."""
    script = Named('''
import os, signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
for i in range(3):
    if os.fork() == 0:
        try: os.execv('/no/such/file', ['x'])
        except OSError: os._exit(0)
    os.wait()
for i in range(4):
    if os.fork() == 0: os.execv('/bin/true', ['/bin/true'])
    os.wait()
for i in range(2):
    t = threading.Thread(target=os.getpid)
    t.start()
    t.join()
signal.signal(signal.SIGUSR2, signal.SIG_IGN)
for i in range(5): os.kill(os.getpid(), signal.SIGUSR2)
for i in range(6):
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.sigtimedwait([signal.SIGUSR1], 1)
''')
    out, _ = script.trace('''
        proc:::start /execname == @name@/ { @[probename, pid == tid] = count(); }
        proc:::lwp-start /execname == @name@/ { @[probename, pid != tid] = count(); }
        proc:::exec /execname == @name@ && args[0] == "/bin/true"/ { @[probename, 1] = count(); }
        proc:::exec-failure /execname == @name@/ { @[probename, args[0]] = count(); }
        proc:::signal-discard /execname == @name@ && args[2] == SIGUSR2/ {
            @[probename, args[3] == pid] = count(); }
        proc:::signal-clear /execname == @name@/ { @[probename, args[0]] = count(); }
        END { printa("P %s %d %@d\\n", @); }''')
    same(['exec 1 4', 'exec-failure 2 3', 'lwp-start 1 2', 'signal-clear 10 6',
          'signal-discard 1 5', 'start 1 7'], found(out, 'P'), 'events')


def lines():
    """The lines that one asks of a machine first, together: calls and programs by name, where
    the kernel is, where a program leaves the processor, with what arguments programs are
    executed. The program knows its calls and its switches; its child waits to be looked at."""
    program = Named('''
import os, resource, signal, time
SEEN = %r
for i in range(500): os.getppid()
for i in range(200): time.sleep(0.0001)
end = time.process_time() + 0.3
while time.process_time() < end: pass
r = resource.getrusage(resource.RUSAGE_SELF)
child = os.posix_spawn('/bin/sleep', ['/bin/sleep', '77.25'], {})
while not os.path.exists(SEEN): time.sleep(0.01)
os.kill(child, signal.SIGKILL)
os.wait()
print(r.ru_nvcsw, r.ru_nivcsw)
''')
    seen = program.script + '.seen'
    with open(program.script, 'r+', encoding='utf-8') as f:
        text = f.read() % seen
        f.seek(0)
        f.write(text)
    out, said = program.trace('''
        syscall:::entry { @calls[execname, probefunc] = count(); }
        profile-997 { @stacks[stack()] = count(); n++; }
        profile-997 /execname == @name@/ { own++; }
        sched:::off-cpu /execname == @name@/ { self->t = timestamp; @left[ustack()] = count(); }
        proc:::exec-success { trace(curpsinfo->pr_psargs); }
        proc:::exec-success /curpsinfo->pr_psargs == "/bin/sleep 77.25"/ {
            printf("\\nX %%s\\n", curpsinfo->pr_psargs);
            system("touch %s"); }
        proc:::exit /execname == @name@/ { exit(0); }
        tick-20s { exit(0); }
        END { system("touch %s"); printa("C %%s %%s %%@d\\n", @calls);
            printa("%%kS %%@d\\n", @stacks);
            printa("%%kL %%@d\\n", @left); printf("N %%d %%d\\n", n, own); }''' % (seen, seen),
                              '-b', '16m', waits=False)
    harness.check('%s getppid 500' % program.name in found(out, 'C'), '%s', out[-3000:])
    same(['/bin/sleep 77.25'], found(out, 'X'), 'arguments')
    n, own = map(int, found(out, 'N')[0].split())
    same(n, sum(map(int, found(out, 'S'))), 'samples')
    harness.check(own > 997 * 0.3 / 2, 'only %s samples', own)
    left, switches = sum(map(int, found(out, 'L'))), sum(map(int, said))
    harness.check(left + 5 >= switches >= 200, '%s switches, %s by itself', left, switches)


WRITER = '''
import mmap, os
DIRECT, SYNCED, SEEN = %r
direct = os.open(DIRECT, os.O_RDWR | os.O_CREAT | os.O_DIRECT)
synced = os.open(SYNCED, os.O_RDWR | os.O_CREAT)
block = mmap.mmap(-1, 65536)
while not os.path.exists(SEEN):
    for i in range(16):
        os.pwrite(direct, block, (16 + i) * 65536)
    os.pwrite(synced, b'x' * 100000, 0)
    os.fsync(synced)
'''


def faults():
    """proc:::fault: a program that faults in four ways, in processes of its own; signals that
    are sent are none."""
    script = Named('''
import ctypes, mmap, os, signal
def code(text):
    m = mmap.mmap(-1, 4096, prot=7)
    m.write(bytes.fromhex(text))
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
for text in ['b8000000000f0b'] * 2 + ['cc'] * 3 + ['31c931c0f7f1'] * 4 + ['31c08b00'] * 5:
    if os.fork() == 0: code(text)
    os.wait()
for number in (signal.SIGSEGV, signal.SIGILL, signal.SIGFPE, signal.SIGBUS):
    if os.fork() == 0:
        os.kill(os.getpid(), number)
    os.wait()
''')
    out, _ = script.trace('''
        proc:::fault /execname == @name@/ {
            @[args[0] == FLTILL ? "ill" : args[0] == FLTBPT ? "bpt" : args[0] == FLTIZDIV ?
                "div" : args[0] == FLTBOUNDS ? "bounds" : "other", args[1]->si_signo] = count(); }
        END { printa("F %s %d %@d\\n", @); }''')
    same(['bounds 11 5', 'bpt 5 3', 'div 8 4', 'ill 4 2'], found(out, 'F'), 'faults')


def is_on_disk(folder):
    """Whether its file system says where its files are on a disk."""
    device = os.stat(folder).st_dev
    request = bytearray(struct.pack('QQIIII', 0, 2 ** 64 - 1, 0, 0, 0, 0))
    with tempfile.TemporaryFile(dir=folder) as f:
        try:
            fcntl.ioctl(f.fileno(), 0xc020660b, request)  # FS_IOC_FIEMAP
        except OSError:
            return False
    return os.path.exists('/sys/dev/block/%d:%d' % (os.major(device), os.minor(device)))


def requests():
    """io: the files of a program's requests, and where in them they are; one is written past the
    cache, another through it. What else the program asks of the disk has no file's name."""
    with tempfile.TemporaryDirectory(prefix='machine-', dir='/var/tmp') as tmp:
        if not is_on_disk(tmp):
            raise harness.Skipped('/var/tmp is on no disk that tells where its files are')
        paths = [os.path.join(tmp, name) for name in ('direct', 'synced', 'seen')]
        direct, synced, seen = paths
        out, _ = Named(WRITER % (paths,)).trace('''
            io:::start /execname == @name@ && args[2]->fi_pathname == "%s"/ {
                d++; bad += args[2]->fi_offset < 16 * 65536 ||
                    args[2]->fi_offset + args[0]->b_bcount > 32 * 65536 ||
                    args[2]->fi_name != "direct" || args[2]->fi_dirname != "%s" ||
                    !(args[2]->fi_oflags & O_WRONLY || args[2]->fi_oflags & O_RDWR); }
            io:::start /execname == @name@ && args[2]->fi_pathname == "%s"/ {
                s++; bad += args[2]->fi_offset < 0 ||
                    args[2]->fi_offset + args[0]->b_bcount > 102400; }
            io:::start /execname == @name@/ {
                @[args[2]->fi_pathname, args[2]->fi_fs, args[2]->fi_mount] = count(); }
            io:::start /d >= 20 && s >= 5 && !ended++/ { system("touch %s"); }
            proc:::exit /execname == @name@/ { exit(0); }
            tick-20s { exit(0); }
            END { system("touch %s"); printf("B %%d %%d\\n", d >= 20 && s >= 5, bad);
                printa("N %%s %%s %%s\\n", @); }''' % (direct, tmp, synced, seen, seen), waits=False)
        same(['1 0'], found(out, 'B'), 'requests')
        device = os.stat(tmp).st_dev
        with open('/proc/self/mountinfo', encoding='utf-8') as f:
            kinds = {line.split(' - ')[1].split()[0] for line in f
                     if line.split()[2] == '%d:%d' % (os.major(device), os.minor(device))}
    for line in found(out, 'N'):
        path, kind, mount = line.split()
        harness.check(path == '<none>' and kind == mount == '<none>' or
                      path.startswith(tmp) and kind in kinds and tmp.startswith(mount) or
                      not path.startswith(tmp), '%s', out)


DIRECT = '''
import mmap, os, time
FILE, SEEN = %r
def counted():
    with open('/proc/self/io') as f:
        return [int(line.split()[1]) for line in f if line.startswith(('read_b', 'write_b'))]
f = os.open(FILE, os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 65536)
before = counted()
for i in range(32): os.pwrite(f, block, 131072 * i)
for i in range(16): os.preadv(f, [block], 65536 * i)
print(*(b - a for a, b in zip(before, counted())))
while not os.path.exists(SEEN): time.sleep(0.01)
'''


def sums():
    """io: the bytes of a file that a program reads and writes past the cache are those of which
    the kernel makes the program's account, in /proc, and the disk its own, in /sys."""
    with tempfile.TemporaryDirectory(prefix='machine-', dir='/var/tmp') as tmp:
        if not is_on_disk(tmp):
            raise harness.Skipped('/var/tmp is on no disk that tells where its files are')
        path, seen = os.path.join(tmp, 'file'), os.path.join(tmp, 'seen')
        with open(path, 'wb') as f:
            f.write(bytes(64 * 65536))
            os.fsync(f.fileno())
        device = os.stat(tmp).st_dev
        stat = '/sys/dev/block/%d:%d/stat' % (os.major(device), os.minor(device))
        before = list(map(int, content(stat).split()))
        out, said = Named(DIRECT % ((path, seen),)).trace('''
            io:::start { @[execname, args[2]->fi_pathname] = sum(args[0]->b_bcount); }
            io:::start /execname == @name@ && args[2]->fi_pathname == "%s"/ {
                @way[args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
                n += args[0]->b_bcount; }
            io:::start /n >= 48 * 65536 && !ended++/ { system("touch %s"); }
            proc:::exit /execname == @name@/ { exit(0); }
            tick-20s { system("touch %s"); exit(0); }
            END { printa("B %%s %%s %%@d\\n", @); printa("W %%s %%@d\\n", @way); }'''
                                                      % (path, seen, seen), waits=False)
        after = list(map(int, content(stat).split()))
    read, written = map(int, said)
    # its files' times may be written meanwhile
    harness.check(0 <= read - 16 * 65536 < 65536 and 0 <= written - 32 * 65536 < 65536,
                  'the account of the program: %d, %d', read, written)
    same(['read %d' % (16 * 65536), 'write %d' % (32 * 65536)], found(out, 'W'),
         'bytes by direction')
    same([str(48 * 65536)], [line.split()[-1] for line in found(out, 'B')
                                 if line.split()[1:2] == [path]], 'bytes of the file')
    # sectors that were read, and written, by all programs
    for field, least in ((2, read), (6, written)):
        harness.check((after[field] - before[field]) * 512 >= least, '%s: %s', stat, after)


def switches(pid):
    """How often the first thread has left a processor, as the kernel counts it."""
    return sum(map(int, re.findall(r'voluntary_ctxt_switches:\s*(\d+)',
                                   content('/proc/%d/task/%d' % (pid, pid), 'status'))))


def is_stopped(pid):
    """All threads have left their processors: one that is about to has no wchan yet."""
    folders = ['/proc/%d/task/%s' % (pid, tid) for tid in os.listdir('/proc/%d/task' % pid)]
    return all(content(folder, 'stat').rsplit(') ')[1][0] == 'T' and
               content(folder, 'wchan') not in ('', '0') for folder in folders)


def stopped(pid):
    os.kill(pid, signal.SIGSTOP)
    harness.until(lambda: is_stopped(pid), 20, 'it has stopped')


def redis():
    """sched:::off-cpu with the stacks of a redis-server: as often as the kernel has counted that its
    first thread left a processor; others name themselves when they run. It is stopped whenever
    the counts are read."""
    with tempfile.TemporaryDirectory(prefix='machine-') as tmp, no_idle_processor():
        path = os.path.join(tmp, 'redis-server')
        os.symlink(harness.installed('redis-check-rdb'), path)
        at = os.path.join(tmp, 'socket')
        server = subprocess.Popen([path, '--port', '0', '--unixsocket', at, '--save', '', '--dir', tmp],
                                  stdout=subprocess.DEVNULL)
        try:
            harness.until(lambda: os.path.exists(at), 20, 'its socket')
            client = socket.socket(socket.AF_UNIX)
            harness.until(lambda: client.connect_ex(at) == 0, 20, 'it listens')
            stopped(server.pid)
            tool = subprocess.Popen(command([harness.DTRACE, '-b', '16m', '-qn', '''
                sched:::off-cpu /execname == "redis-server" && tid == pid && pid == %d/ {
                    self->t = timestamp; @[ustack()] = count(); n++; }
                sched:::on-cpu /self->t/ { back++; bad += timestamp < self->t; self->t = 0; }
                tick-1ms /!ready++/ { printf("ready\\n"); }
                END { printa("%%kL %%@d\\n", @); printf("N %%d %%d %%d\\n", n, back, bad); }'''
                                             % server.pid]),
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            same(b'ready\n', tool.stdout.readline(), 'the beginning')
            before = switches(server.pid)
            os.kill(server.pid, signal.SIGCONT)
            for _ in range(300):
                client.sendall(b'INCR key\r\n')
                last = client.recv(100)
            client.close()
            stopped(server.pid)
            counted = switches(server.pid) - before
            tool.send_signal(signal.SIGINT)
            out, err = (text.decode() for text in tool.communicate(timeout=60))
        finally:
            server.kill()
            server.wait()
    same(b':300\r\n', last, 'the last answer')
    harness.check(not err.strip(), '%s', err)
    n, back, bad = map(int, found(out, 'N')[0].split())
    same((counted, counted, 0), (n, sum(map(int, found(out, 'L'))), bad), 'switches')
    # a processor that was held up may tell late that the thread left it
    harness.check(counted >= 300 and n - 5 <= back <= n, '%d, %d times back', n, back)


LIBRARY = '''
import ctypes, mmap, os
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library " + "x" * 150)
with open(path, "wb") as f: f.write(bytes(16384))
f = os.open(path, os.O_RDWR)
for i in range(7):
    m = mmap.mmap(f, 8192, flags=mmap.MAP_PRIVATE, prot=7, offset=4096)
    print(ctypes.addressof(ctypes.c_char.from_buffer(m)))
mmap.mmap(f, 4096, flags=mmap.MAP_PRIVATE, prot=3)
mmap.mmap(-1, 4096, prot=7)
os.close(f)
'''
LOADS = '''library:::load /basename(args[0]) == "library %s"/ {
    printf("L %%d %%d %%d %%d\\n", pid, args[1], args[2], args[3]); }
    library:::load { other += pid != $target && $target; }
    END { printf("O %%d\\n", other); }''' % ('x' * 150)


def libraries():
    """library:::load: a program maps a file as code 7 times, and says where; as data once. In the
    machine, of a process alone, and of recordings of ours and of perf."""
    program = Named(LIBRARY)
    out, said = program.trace(LOADS)

    def check(out, said):
        found_ = [line.split()[1:] for line in found(out, 'L')]
        same(sorted([address, '8192', '4096'] for address in said), sorted(found_), 'libraries')
        same(['0'], found(out, 'O'), 'those of others')

    check(out, said)
    with tempfile.TemporaryDirectory(prefix='machine-') as tmp:
        data = os.path.join(tmp, 'data')
        result = dtrace('-qgE', data, '-n', LOADS, '-c', '%s %s' % (sys.executable, program.script))
        said = [line for line in result.out.splitlines() if line.isdigit()]
        same(7, len(said), 'mappings')
        check(result.out, said)
        check(harness.run([harness.DTRACE, '-qE', data, '-n', LOADS]).out, said)
        if shutil.which('perf'):
            result = harness.run(['perf', 'record', '-qN', '-e', 'dummy', '-o', data + '2',
                                  sys.executable, program.script])
            loads = LOADS.replace('$target', '0')
            check(harness.run([harness.DTRACE, '-qE', data + '2', '-n', loads]).out,
                  result.out.split())
    result = dtrace('-n', 'library:::unload')
    harness.check('syscall::munmap:entry has the calls' in result.err, '%s', result)


def content(*path):
    try:
        with open(os.path.join(*path), encoding='utf-8') as f:
            return f.read().strip()
    except OSError:
        return ''


HARDWARE = '''
    hwconfig:::system { printf("S %s %s %d\\n", args[0]->hs_release, args[0]->hs_nodename,
        args[0]->hs_ncpus); }
    hwconfig:::processor { printf("P %d %d %s\\n", args[0]->cpu_id, args[1]->hp_clock > 0,
        args[1]->hp_model); }
    hwconfig:::memory { printf("M %d %d\\n", args[0]->hm_size, args[0]->hm_pagesize); }
    hwconfig:::disk { printf("D %s %d %d\\n", args[0]->dev_name, args[0]->dev_major,
        args[1]->hd_size); }
    hwconfig:::partition { printf("D %s %d %d\\n", args[0]->dev_name, args[0]->dev_major,
        args[1]->hd_size); }
    hwconfig:::network { printf("N %s %d %d %s\\n", args[0]->if_name, args[1]->hn_index,
        args[1]->hn_mtu, args[1]->hn_address); }'''


def hardware():
    """hwconfig: what the machine is, by /proc and /sys, for any user: of the machine, beside a
    process, and of a recording of both."""
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        text = f.read()
    kernel = os.uname()
    memory = re.search(r'MemTotal: +(\d+) kB', content('/proc/meminfo')).group(1)
    expected = ['S %s %s %d' % (kernel.release, kernel.nodename,
                                os.sysconf('SC_NPROCESSORS_ONLN'))]
    expected += ['P %s 1 %s' % pair for pair in zip(
        re.findall(r'^processor\s*: (\d+)', text, re.M),
        re.findall(r'^model name\s*: (.*)', text, re.M))]
    expected.append('M %d %d' % (int(memory) * 1024, os.sysconf('SC_PAGE_SIZE')))
    for name in os.listdir('/sys/class/block'):
        folder = '/sys/class/block/' + name
        size = int(content(folder, 'size') or 0)
        if size or os.path.exists(folder + '/device'):
            expected.append('D %s %s %d' % (name.replace('!', '/'), content(folder, 'dev').split(':')[0],
                                            size * 512))
    for name in os.listdir('/sys/class/net'):
        folder = '/sys/class/net/' + name
        if content(folder, 'ifindex'):
            expected.append('N %s %s %s %s' % (name, content(folder, 'ifindex'),
                                               content(folder, 'mtu'), content(folder, 'address')))
    end = ' tick-1ms { exit(0); }'
    with tempfile.TemporaryDirectory(prefix='machine-') as tmp:
        os.chmod(tmp, 0o777)
        data = os.path.join(tmp, 'data')
        user = ['setpriv', '--reuid', 'nobody', '--clear-groups'] if os.geteuid() == 0 else []
        for words in ([*user, harness.DTRACE, '-qn', HARDWARE + end],
                      [harness.DTRACE, '-qgE', data, '-n', HARDWARE, '-c', 'true'],
                      [harness.DTRACE, '-qE', data, '-n', HARDWARE]):
            result = harness.run(words)
            harness.check(result.status == 0, '%s', result)
            same(sorted(expected), sorted(filter(None, result.out.split('\n'))), 'machine')
    listing = harness.run([harness.DTRACE, '-lvP', 'hwconfig']).out
    same(6, len(re.findall(r' hwconfig +\S', listing)), 'probes')
    for text in ('args[0]: devinfo_t *', 'args[1]: hwnetwork_t *'):
        harness.check(text in listing, 'no %r: %s', text, listing)
    result = harness.run([harness.DTRACE, '-n', 'hwconfig:::disk { trace(args[2]); }'])
    harness.check('out of range' in result.err, '%s', result)
    result = harness.run([harness.DTRACE, '-n', 'BEGIN { exit(3); } hwconfig::: { n++; }'
                          'END { trace(n); }'])
    harness.check(result.status == 3 and result.out.split()[-1] == '0', '%s', result)


def replayed():
    """What a program prints of the machine, with the structs of translators, it prints again of
    the recording that it has made."""
    with tempfile.TemporaryDirectory(prefix='machine-') as tmp:
        data = os.path.join(tmp, 'data')
        program = '''
            io:::start { printf("%s %d %s %d\\n", execname, args[0]->b_bcount,
                args[1]->dev_statname, args[2]->fi_oflags); }
            sched:::off-cpu { @[args[1]->pr_fname, args[0]->pr_pri] = count(); }
            sched:::wakeup { @w[execname, args[1]->pr_fname] = sum(args[0]->pr_lwpid); }
            proc:::create { printf("%s %d %d\\n", execname, pid, args[0]->pr_pid); }
            proc:::exec { printf("%s\\n", args[0]); seen = args[0] == "/bin/true"; }
            fsinfo:::write /execname != "dtrace"/ { @f[args[0]->fi_name] = sum(args[1]); }
            tcp:::state-change { printf("%d %s %d\\n", args[3]->tcps_lport,
                tcp_state_string[args[3]->tcps_state], args[5]->tcps_state); }
            tick-50ms { system("echo x >/dev/null; /bin/true"); }
            proc:::exec /seen && n++ > 1/ { exit(0); } tick-20s { exit(1); }'''
        live = dtrace('-b', '16m', '-qwgE', data, '-n', program)
        again = harness.run([harness.DTRACE, '-qwE', data, '-n',
                             re.sub(r'tick-.*', '', program)])
    harness.check(live.status == again.status == 0 and not again.err.strip(), '%s\n%s', live, again)
    harness.check(re.search(r'^dtrace \d+ \d+$', live.out, re.M), 'no process: %s', live)
    same(live.out.splitlines(), again.out.splitlines(), 'lines')


def refused():
    """Probes that DTrace has and no event of the kernel can serve, members that no event tells:
    each with its reason."""
    for description, text in (
            ('tcp:::accept-refused', 'does not tell whether somebody wanted to connect'),
            ('ip:::drop-in', 'sdt:skb::kfree_skb'),
            ('sched:::tick', 'profile-100 fires on every processor'),
            ('sched:::cpucaps-sleep', 'limits of processors'),
            ('io:::wait-start', 'no event of the kernel tells that a thread waits'),
            ('vminfo:::zfod', 'does not tell what the page becomes'),
            ('vminfo:::pgin', 'io:::start has the requests'),
            ('sysinfo:::namei', 'no event of the kernel tells of it'),
            ('fsinfo:::lookup', 'syscall::: has the calls'),
            ('tcp:::sent', 'did you mean'),
            ('tcp:::send { trace(args[2]->ip_saddr); }',
             'translator does not define conversion for member: ip_saddr'),
            ('udp:::send { trace(args[4]->udp_dport); }',
             'translator does not define conversion for member: udp_dport'),
            ('tcp:::receive { trace(args[4]->tcp_seq); }',
             'translator does not define conversion for member: tcp_seq'),
            ('ip:::send { trace(args[4]); }', 'out of range')):
        result = dtrace('-n', description)
        harness.check(result.status == 1 and text in result.err, 'no %r:\n%s', text, result)
    if not os.path.exists('/proc/modules'):
        result = dtrace('-n', 'module:::load')
        harness.check('this kernel has no event module:module_load' in result.err, '%s', result)
    listing = dtrace('-lP', 'tcp').out
    same(7, len(re.findall(r' tcp +\S', listing)), 'probes of tcp')


harness.main({case.__name__: case for case in (
    tcp, datagrams, memory, counters, counts, queues, interrupts, processes, faults, lines,
    requests, sums, redis, libraries, hardware, replayed, refused)})
