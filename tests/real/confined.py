#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs in places of their own: namespaces, files deleted or replaced, set-id children."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from attached import Attached, Gate, child_of  # noqa: E402

NOBODY = 65534
CAPABILITY = 1 << 12  # CAP_NET_ADMIN
COUNT = 'pid$target:a.out:work: { @[probename] = count(); }'


def exact(gate, pid, folder=None, turns=70):
    """The counts of entry and return are those of the program, its text is put back."""
    gate.work(3, 'same')
    with Attached([pid], COUNT) as run:
        gate.work(turns, 'changed')
        if folder:
            shutil.rmtree(folder)
            gate.work(turns, 'changed')
        run.end()
    expected = 2 * turns if folder else turns
    counted = run.counts()
    harness.check(counted.get('entry') == counted.get('return') == counted.get('0') == expected,
                  '%d calls, but %s\n%s', expected, counted, run.err)
    gate.work(5, 'same')


def deleted():
    """The executable is gone before dtrace comes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'gate')
        shutil.copy(harness.target('gate'), path)
        with Gate([path]) as gate:
            os.unlink(path)
            exact(gate, gate.pid)
            gate.end()


def deleted_while_traced():
    """The executable and its folder vanish while probes are installed."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, 'gate')
    shutil.copy(harness.target('gate'), path)
    with Gate([path]) as gate:
        exact(gate, gate.pid, folder)
        gate.end()


def replaced():
    """Another program, and one that is no program at all, has taken the file's name: the
    functions are those of the program that runs."""
    for other in (harness.target('plain'), __file__):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'gate')
            shutil.copy(harness.target('gate'), path)
            with Gate([path]) as gate:
                shutil.copy(other, path + '.new')
                os.rename(path + '.new', path)
                exact(gate, gate.pid)
                gate.end()


def deleted_library():
    """A library that was replaced while the program has it open, as updates do."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'gate')
        library = os.path.join(folder, 'libc.so.6')
        shutil.copy(harness.target('gate'), path)
        with open('/proc/self/maps', encoding='utf-8') as maps:
            shutil.copy(re.search(r'/\S*/libc\.so\.6', maps.read()).group(), library)
        with Gate([path], env=dict(os.environ, LD_LIBRARY_PATH=folder)) as gate:
            os.unlink(library)
            with Attached([gate.pid], 'pid$target:libc.so.6:write: { @[probename] = count(); } '
                                      'pid$target:a.out:work:return { @["work"] = count(); }'
                          ) as run:
                for _ in range(4):
                    gate.work(10, 'changed')  # prints one line
                run.end()
            counted = run.counts()
            # the last line may be read before its write() has returned
            harness.check(counted.get('entry') == 4 and counted.get('work') == 40 and
                          counted.get('return') in (3, 4), 'counted %s\n%s', counted, run.err)
            gate.work(5, 'same')
            gate.end()


def may_unshare():
    probe = subprocess.run(['unshare', '-mpf', 'true'], capture_output=True, check=False)
    return probe.returncode == 0


def namespace():
    """A program in a mount and a pid namespace of its own, its file seen only there."""
    if not may_unshare():
        raise harness.Skipped('this user may not make namespaces')
    with tempfile.TemporaryDirectory() as folder:
        script = ('mount -t tmpfs none %s && cp %s %s/gate && exec %s/gate' %
                  (folder, harness.target('gate'), folder, folder))
        with Gate(['unshare', '-mpf', '--mount-proc', '--kill-child', 'sh', '-c',
                   script]) as gate:
            harness.check(gate.inner == 1, 'its pid is %d', gate.inner)
            harness.check(not os.listdir(folder), 'its files are seen')
            exact(gate, child_of(gate.pid))
            gate.end()
    return None


def other_time():
    """A program in a namespace of time, whose clock is another: timestamp is that of dtrace."""
    ahead = ['unshare', '-T', '--monotonic', '100000', '-f', '--kill-child']
    if subprocess.run([*ahead, 'true'], capture_output=True, check=False).returncode:
        raise harness.Skipped('this user, or this kernel, makes no namespaces of time')
    with Gate([*ahead, harness.target('gate')]) as gate:
        for provider in 'pid', 'fpid':
            with Attached([child_of(gate.pid)], 'BEGIN { began = timestamp; } ' + provider +
                          '$target:a.out:work:entry '
                          '{ @["seconds"] = max((timestamp - began) / 1000000000); }') as run:
                gate.work(5, 'changed')
                run.end()
            harness.check(run.counts().get('seconds', -1) in range(1000), '%s: %s', provider,
                          run.out)
        gate.end()


def second_of_namespace():
    """Process 2 is the kernel's, but not in a namespace, where it may be any program."""
    if not may_unshare():
        raise harness.Skipped('this user may not make namespaces')
    script = ('%s 30000 & test $! = 2 || exit 3; %s -qn \'BEGIN { printf("%%d\\n", $target); exit(0); }\''
              ' -p 2; status=$?; kill 2; exit $status') % (harness.target('spin'),
                                                  harness.DTRACE)
    result = harness.run(['unshare', '-mpf', '--mount-proc', '--kill-child', 'sh', '-c', script])
    harness.check(result.status == 0 and '2\n' in result.out, '%s', result)


def other_root():
    """A static program in a root of its own."""
    if os.geteuid():
        raise harness.Skipped('only root may change the root')
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(harness.target('gate_musl'), os.path.join(folder, 'gate'))
        with Gate(['chroot', folder, '/gate']) as gate:
            exact(gate, gate.pid)
            gate.end()
    return None


def namespace_of_dtrace():
    """dtrace itself in namespaces of its own."""
    if not may_unshare():
        raise harness.Skipped('this user may not make namespaces')
    path = harness.DTRACE
    with tempfile.TemporaryDirectory() as folder:
        wrapper = os.path.join(folder, 'dtrace')
        with open(wrapper, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nexec unshare -mpf --mount-proc %s "$@"\n' % path)
        os.chmod(wrapper, 0o755)
        harness.DTRACE = wrapper
        try:
            result = harness.traced('pid$target:a.out::entry { @[probefunc] = count(); }',
                                    harness.target('forker'))
        finally:
            harness.DTRACE = path
    calls, _ = harness.truth(result.out)
    harness.same_counts(calls, harness.counts(result.data), 'entries')
    return None


def unshared_child():
    """A target that puts its children into namespaces."""
    if not may_unshare():
        raise harness.Skipped('this user may not make namespaces')
    command = 'unshare -mpf --mount-proc ' + harness.target('plain')
    alone = harness.run(command.split())
    result = harness.traced('pid$target:a.out::entry, pid$target:libc.so.6::return '
                            '{ @[probefunc] = count(); }', command)
    harness.check(result.out == alone.out and harness.target_status(result) == alone.status,
                  '%s', result)
    return None


class AsNobody:
    """A set-id copy of id, and dtrace where another user may execute it."""

    def __enter__(self):
        # not where set-id is without effect
        self.folder = tempfile.TemporaryDirectory(dir='/var/tmp')
        path = self.folder.name
        os.chmod(path, 0o755)
        self.id = os.path.join(path, 'id')
        shutil.copy('/usr/bin/id', self.id)
        os.chmod(self.id, 0o4755)
        capable = os.path.join(path, 'capable')
        shutil.copy('/usr/bin/grep', capable)
        if os.geteuid() == 0:
            # struct vfs_cap_data: revision 2, effective; permitted and inheritable twice
            os.setxattr(capable, 'security.capability',
                        struct.pack('<5I', 0x02000001, CAPABILITY, 0, 0, 0))
        self.launcher = os.path.join(path, 'launcher')
        shutil.copy(harness.target('launcher'), self.launcher)
        install = harness.run(['cmake', '--install', os.environ['BUILD'], '--prefix', path])
        harness.check(install.status == 0, '%s', install)
        self.kept, harness.DTRACE = harness.DTRACE, os.path.join(path, 'bin', 'dtrace')
        self.tmp = os.path.join(path, 'tmp')
        os.mkdir(self.tmp)
        os.chmod(self.tmp, 0o777)
        tempfile.tempdir, self.kept_tmp = self.tmp, tempfile.tempdir
        return self

    def __exit__(self, *_):
        harness.DTRACE, tempfile.tempdir = self.kept, self.kept_tmp
        self.folder.cleanup()

    def run(self, command):
        return harness.run(command, user=NOBODY, group=NOBODY, extra_groups=[],
                           cwd=self.folder.name)

    def traced(self, program, command):
        if harness.PROVIDER == 'fpid':
            program = re.sub(r'(?<!\w)pid(?=\$)', 'fpid', program)
        data = os.path.join(self.tmp, 'data')
        result = self.run([harness.DTRACE, '-o', data, '-n', program, '-c', command])
        with open(data, encoding='utf-8') as f:
            result.data = f.read()
        return result


def gaining(how, arguments, gain):
    """A program that gains privileges, started by a target as a child, does so as ever."""
    if os.geteuid():
        raise harness.Skipped('only root can make a set-id program of another user')
    with AsNobody() as place:
        command = '%s %s 20 %s' % (place.launcher, how, arguments)
        alone = place.run(command.split())
        harness.check(alone.out.splitlines()[:20] == [gain] * 20, 'alone\n%s', alone)
        result = place.traced('pid$target:a.out:work:entry, pid$target:a.out:work:return '
                              '{ @[probename] = count(); } pid$target:libc.so.6::entry '
                              '{ @all = count(); }', command)
        harness.check(result.status == 0 and result.out == alone.out, '%s\n%s', result, alone)
        harness.check(harness.target_status(result) == 20, '%s', result)
        counted = harness.counts(result.data)
        harness.check(counted.get('entry') == counted.get('return') == 20, '%s', result)
    return None


def setid_exec():
    """A target that becomes a set-id program itself goes on without the privileges, as any
    program that another user traces."""
    if os.geteuid():
        raise harness.Skipped('only root can make a set-id program of another user')
    with AsNobody() as place:
        command = '%s exec 1 %s -u' % (place.launcher, place.id)
        result = place.traced('pid$target:a.out:work:entry { @[probename] = count(); }', command)
        harness.check(result.status == 0, '%s', result)
        harness.check(result.out.split() == [str(NOBODY)], '%s', result)
        harness.check(harness.counts(result.data).get('entry') == 1, '%s', result)
    return None


def setid(how):
    return gaining(how, './id -u', '0')


def capability():
    """The same of capabilities that a file gives."""
    return gaining('spawn', './capable -m1 CapEff /proc/self/status',
                   'CapEff:\t%016x' % CAPABILITY)


CASES = {'capability': capability, 'deleted': deleted, 'deleted_while_traced': deleted_while_traced,
         'replaced': replaced, 'deleted_library': deleted_library, 'namespace': namespace,
         'other_time': other_time, 'other_root': other_root, 'namespace_of_dtrace': namespace_of_dtrace,
         'unshared_child': unshared_child,
         'second_of_namespace': second_of_namespace, 'setid_exec': setid_exec}
for way in ('fork', 'vfork', 'spawn'):
    CASES['setid_' + way] = lambda way=way: setid(way)

harness.main(CASES)
