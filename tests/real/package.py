#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian package: complete, moves out of the way of another /usr/bin/dtrace, and works
from wherever it is unpacked."""
import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness  # noqa: E402

# what systemtap-sdt-dev has as well
OTHER = {'usr/bin/dtrace': '#!/bin/sh\necho other\n', 'usr/share/man/man1/dtrace.1.gz': 'other'}
MOVED = {'usr/bin/dtrace': 'usr/bin/dtrace.systemtap',
         'usr/share/man/man1/dtrace.1.gz': 'usr/share/man/man1/dtrace.systemtap.1.gz'}
COUNT = 'pid$target:a.out:f:entry { @["f"] = count(); }'


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, mode)


def read(*path):
    with open(os.path.join(*path), 'rb') as f:
        return f.read()


def run(*command):
    result = harness.run(list(command))
    harness.check(result.status == 0, '%s\n%s', command, result)
    return result.out


def package(folder):
    """The package of the build."""
    harness.installed('dpkg-shlibdeps')
    run('cpack', '-G', 'DEB', '--config', os.path.join(os.environ['BUILD'], 'CPackConfig.cmake'),
        '-B', folder, '-D', 'CPACK_DEBIAN_COMPRESSION_TYPE=gzip')
    return glob.glob(os.path.join(folder, '*.deb'))[0]


def other_package(folder):
    root = os.path.join(folder, 'other')
    write(os.path.join(root, 'DEBIAN/control'), 'Package: other\nVersion: 1\n'
          'Architecture: all\nMaintainer: x <x@localhost>\nDescription: x\n')
    for path, text in OTHER.items():
        write(os.path.join(root, path), text, 0o755)
    path = os.path.join(folder, 'other.deb')
    run('dpkg-deb', '--root-owner-group', '-b', root, path)
    return path


def traces(dtrace):
    """A program is traced by the dtrace at this path."""
    kept, harness.DTRACE = harness.DTRACE, dtrace
    try:
        result = harness.traced(COUNT, harness.target('once'))
    finally:
        harness.DTRACE = kept
    harness.check(harness.counts(result.data) == {'f': 1}, '%s', result)


def unpacked(path, root):
    """It has all that belongs to it, and runs where it lies."""
    needs = run('dpkg-deb', '-f', path, 'Depends')
    harness.check('libc6 ' in needs and 'libcapstone' in needs, 'it depends on %s', needs)
    wants = run('dpkg-deb', '-f', path, 'Recommends')
    harness.check('libdebuginfod1' in wants and 'libmicrohttpd12' in wants, 'it wants %s', wants)
    run('dpkg-deb', '-x', path, root)
    traces(os.path.join(root, 'usr/bin/dtrace'))
    for each in ('libexec/dtrace/probekeeper', 'libexec/dtrace/complete',
                 'share/bash-completion/completions/dtrace', 'share/zsh/vendor-completions/_dtrace',
                 'share/man/man1/dtrace.1',
                 'share/man/man7/dtrace-d.7', 'share/doc/dtrace/copyright'):
        harness.check(os.path.exists(os.path.join(root, 'usr', each)), 'no %s', each)


def with_dpkg(root, *arguments):
    """dpkg for a tree of its own, which has none of the packages that are depended on."""
    run('dpkg', '--root=' + root, '--force-depends', '--force-script-chrootless', '--log=/dev/null',
        *arguments)


def beside(root, packages):
    """With a package that has the same program, whichever is installed first."""
    for empty in ('info/format', 'status', 'available', 'updates/x'):
        write(os.path.join(root, 'var/lib/dpkg', empty), '1\n' if 'info' in empty else '')
    os.remove(os.path.join(root, 'var/lib/dpkg/updates/x'))
    for each in packages:
        with_dpkg(root, '-i', each)
    traces(os.path.join(root, 'usr/bin/dtrace'))
    for place, moved in MOVED.items():
        harness.check(read(root, moved).decode() == OTHER[place], '%s is not the other', moved)
    with_dpkg(root, '-r', 'dtrace')
    for place, moved in MOVED.items():
        harness.check(read(root, place).decode() == OTHER[place], '%s is not back', place)
        harness.check(not os.path.exists(os.path.join(root, moved)), '%s is still there', moved)
    known = run('dpkg-divert', '--root=' + root, '--list', '*dtrace*')
    harness.check(not known, 'diversions are left: %s', known)


def debian():
    with tempfile.TemporaryDirectory() as folder:
        ours, other = package(folder), other_package(folder)
        unpacked(ours, os.path.join(folder, 'unpacked'))
        if os.geteuid() != 0:
            raise harness.Skipped('only root installs packages; the rest is right')
        beside(os.path.join(folder, 'first'), [ours, other])
        beside(os.path.join(folder, 'second'), [other, ours])


harness.main({'debian': debian})
