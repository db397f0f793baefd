#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug data that a server of debuginfod has, on the loopback."""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

PROGRAM = 'pid$target:a.out::lined.c@39 {printf("%d %d\\n", locals.i, locals.total);}'


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def build_id(path):
    notes = harness.run(['readelf', '-n', path]).out
    return re.search(r'Build ID: ([0-9a-f]+)', notes).group(1)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


@contextlib.contextmanager
def server(folder, wanted):
    """Serves the files of a folder; yields its environment when it has the wanted one."""
    port = free_port()
    url = 'http://127.0.0.1:%d' % port
    p = subprocess.Popen([harness.installed('debuginfod'), '-F', folder, '-p', str(port),
                          '-d', ':memory:'], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    try:
        harness.until(lambda: answers('%s/buildid/%s/debuginfo' % (url, wanted)), 60,
                      'the server has the file')
        yield url
    finally:
        p.terminate()
        p.wait()


@contextlib.contextmanager
def stripped():
    """A program without debug data in a folder, whose debug file is in another one."""
    with tempfile.TemporaryDirectory(prefix='debuginfod-') as folder:
        path = os.path.join(folder, 'lined')
        os.mkdir(os.path.join(folder, 'served'))
        shutil.copy(harness.target('lined_O0'), path)
        debug = os.path.join(folder, 'served', 'lined.debug')
        harness.check(harness.run(['objcopy', '--only-keep-debug', path, debug]).status == 0,
                      'objcopy')
        harness.check(harness.run(['strip', '-g', path]).status == 0, 'strip')
        yield path, folder


def fetched():
    with stripped() as (path, folder), \
            server(os.path.join(folder, 'served'), build_id(path)) as url:
        env = {'DEBUGINFOD_URLS': url, 'DEBUGINFOD_CACHE_PATH': os.path.join(folder, 'cache')}
        result = harness.traced(PROGRAM, path, ['-q'], env=env)
        harness.check(result.data.split() == '0 0 1 100 2 300'.split(), '%s', result.data)
        noisy = harness.traced(PROGRAM, path, env=env)
        harness.check(re.search(r"^dtrace: debuginfod fetched the debugging data of 'lined' in "
                                r'\d+\.\d s$', noisy.err, re.M), '%s', noisy)


def absent():
    """A server that does not answer, and none."""
    with stripped() as (path, folder):
        for url in ('http://127.0.0.1:%d' % free_port(), ''):
            result = harness.run(
                [harness.DTRACE, '-n', PROGRAM, '-c', path],
                env={'DEBUGINFOD_URLS': url,
                     'DEBUGINFOD_CACHE_PATH': os.path.join(folder, 'cache')})
            harness.check(result.status == 1 and 'it has no debugging data' in result.err, '%s',
                          result)


harness.main({'fetched': fetched, 'absent': absent})
