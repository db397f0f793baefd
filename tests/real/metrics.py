#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Aggregations over HTTP (--metrics): the page, what it may hold, who may ask, and what
Prometheus makes of it."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import harness  # noqa: E402

OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
TEXT = 'text/plain; version=0.0.4; charset=utf-8'
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?\d+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Server:
    """A dtrace that serves, until the end of the with block."""

    def __init__(self, program, *options, address='0'):
        self.err = tempfile.TemporaryFile('w+')
        self.out = tempfile.TemporaryFile('w+')
        self.p = subprocess.Popen(
            [harness.DTRACE, '-q', '--metrics', address, *options, '-n', program],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
            start_new_session=True)
        self.url = None

    def messages(self):
        return harness.content(self.err)

    def kill_all(self):
        """What is left of it: the command of -c runs on after an interrupt."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.p.pid, signal.SIGKILL)

    def __enter__(self):
        try:
            harness.until(lambda: 'metrics at ' in self.messages() or
                          self.p.poll() is not None, 30, 'the address')
            self.url = re.search(r'metrics at (\S+)', self.messages()).group(1)
        except BaseException:
            self.kill_all()
            raise
        return self

    def __exit__(self, *_):
        self.p.send_signal(signal.SIGINT)
        try:
            status = self.p.wait(30)
        finally:
            self.kill_all()
        harness.check(status == 0, 'status %d\n%s', status, self.messages())

    def get(self, accept=None, path='', method='GET', data=None):
        """(status, Content-Type, text)"""
        request = urllib.request.Request(self.url + path, method=method, data=data,
                                         headers={'Accept': accept} if accept else {})
        try:
            with urllib.request.urlopen(request, timeout=30) as r:
                return r.status, r.headers['Content-Type'], r.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.headers['Content-Type'], e.read().decode()

    def ready(self, word):
        """The page, when it has the word."""
        pages = []

        def has():
            pages[:] = [self.get()[2]]
            return word in pages[0]
        harness.until(has, 30, word)
        return pages[0]


def unquoted(value):
    return re.sub(r'\\(.)', lambda m: {'n': '\n'}.get(m.group(1), m.group(1)), value)


def samples(page):
    """{(name, labels): value}; every line of the page is well-formed."""
    lines = page.split('\n')
    harness.check(lines.pop() == '', 'the last line has no end')
    if lines and lines[-1] == '# EOF':
        lines.pop()
    found, family = {}, None
    for line in lines:
        if line.startswith('# '):
            harness.check(re.fullmatch(r'# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))', line),
                          '%s', line)
            family = line.split()[2]
            continue
        m = SAMPLE.fullmatch(line)
        harness.check(m and m.group(1).startswith(family), 'no sample: %s', line)
        labels = tuple((name, unquoted(value)) for name, value in LABEL.findall(m.group(2) or ''))
        harness.check((m.group(1), labels) not in found, 'twice: %s', line)
        found[m.group(1), labels] = int(m.group(3))
    return found


PROGRAM = r'''BEGIN {
    @ = count(); @opens["z", 2] = count(); @opens["z", 2] = count(); @opens["a", (char)-1] = count();
    @sizes["k"] = quantize(5, 3); @sizes["k"] = quantize(-7); @sizes["k"] = quantize(1 << 20);
    @sizes["j"] = quantize(6); @low = lquantize(7, 0, 20, 5); @low = lquantize(99, 0, 20, 5);
    @logs = llquantize(25, 10, 1, 2, 10); @mean = avg(5); @mean = avg(8); @spread = stddev(3);
    @least = min(-4); @most[0] = max(4); @total_total = sum(-10); @half = sum(100);
    normalize(@half, 2); @negative = quantize(3, -2); @same = count(); @gone = count(); clear(@gone);
    @bytes_total = sum(1); @bytes_total_ = sum(2); trunc(@gone); }
tick-1s { @ticks = count(); }'''
K, J = ('key1', 'k'), ('key1', 'j')
EXPECTED = {
    ('dtrace_aggregation_total', ()): 1,
    ('dtrace_opens_total', (('key1', 'z'), ('key2', '2'))): 2,
    ('dtrace_opens_total', (('key1', 'a'), ('key2', '-1'))): 1,
    ('dtrace_low_bucket', (('le', '4.0'),)): 0, ('dtrace_low_bucket', (('le', '9.0'),)): 1,
    ('dtrace_low_bucket', (('le', '14.0'),)): 1, ('dtrace_low_bucket', (('le', '19.0'),)): 1,
    ('dtrace_low_bucket', (('le', '+Inf'),)): 2,
    ('dtrace_logs_bucket', (('le', '19.0'),)): 0, ('dtrace_logs_bucket', (('le', '29.0'),)): 1,
    ('dtrace_logs_bucket', (('le', '+Inf'),)): 1,
    ('dtrace_mean', ()): 6, ('dtrace_spread', ()): 0, ('dtrace_least', ()): -4,
    ('dtrace_most', (('key1', '0'),)): 4, ('dtrace_total_total_', ()): -10,
    ('dtrace_half', ()): 50, ('dtrace_same_total', ()): 1,
    ('dtrace_bytes_total_', ()): 1, ('dtrace_bytes_total__', ()): 2,
}
for power in range(-4, 21):
    BOUND = -2**(-power - 1) if power < 0 else 2**power - 1
    TEXT_OF = '%.1f' % BOUND if abs(BOUND) < 10**6 else '1.048575e+06'
    EXPECTED['dtrace_sizes_bucket', (K, ('le', TEXT_OF))] = \
        0 if BOUND <= -8 else 1 if BOUND < 7 else 4
    EXPECTED['dtrace_sizes_bucket', (J, ('le', TEXT_OF))] = 0 if BOUND < 7 else 1


def page():
    """Names, labels, types and values, in both formats."""
    with Server(PROGRAM) as s:
        s.ready('dtrace_ticks_total')
        status, kind, text = s.get('application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
        harness.check((status, kind) == (200, OPENMETRICS), '%s %s', status, kind)
        harness.check(text.endswith('\n# EOF\n') and text.count('# EOF') == 1, '%s', text)
        found = {key: value for key, value in samples(text).items() if 'ticks' not in key[0]}
        for (name, labels), value in list(found.items()):
            if name == 'dtrace_sizes_bucket' and labels[-1] in (('le', '2.097151e+06'),
                                                                 ('le', '+Inf')):
                harness.check(value == (5 if K in labels else 1), '%s %d', labels, value)
                del found[name, labels]
        wrong = {key: (found.get(key), EXPECTED.get(key)) for key in set(found) | set(EXPECTED)
                 if found.get(key) != EXPECTED.get(key)}
        harness.check(not wrong, 'got, expected: %s', wrong)
        harness.check(s.messages().count('@negative with negative counts') == 1, '%s',
                      s.messages())
        status, kind, old = s.get('text/plain')
        harness.check((status, kind) == (200, TEXT) and '# EOF' not in old, '%s', old)
        harness.check('# TYPE dtrace_opens_total counter' in old and
                      '# TYPE dtrace_opens counter' in text, '%s', old)


def promtool(*arguments, **kwargs):
    p = subprocess.run([harness.installed('promtool'), *arguments], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, check=False, **kwargs)
    harness.check(p.returncode == 0, '%s', p.stdout)


def linted():
    """What Prometheus' own checker says: nothing, but for names that break its taste."""
    program = PROGRAM.replace('@spread', '@deviation').replace('@total_total', '@balance')
    with Server(program) as s:
        s.ready('dtrace_ticks_total')
        old = s.get('text/plain')[2]
        old = '\n'.join(line for line in old.split('\n') if 'dtrace_bytes' not in line)
        promtool('check', 'metrics', input=old)


def fleet():
    """The samples: a page of a program's calls, a configuration that Prometheus takes."""
    samples_folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../samples/fleet')
    with open(os.path.join(samples_folder, 'process.d'), encoding='utf-8') as f:
        program = f.read()
    with Server(program, '-c', 'dd if=/dev/zero of=/dev/null bs=4k') as s:
        found = samples(s.ready('key1="write"'))
        harness.check(found['dtrace_io_ns_bucket', (('key1', 'read'), ('le', '+Inf'))] > 0, '%s',
                      found)
    harness.check(harness.content(s.out).strip() == '', '%s', harness.content(s.out))
    promtool('check', 'config', os.path.join(samples_folder, 'prometheus.yml'))


def hostile():
    """Whatever labels hold, the page is one; long ones differ where the keys do."""
    data = bytes(range(1, 256)) + b'\\x41'
    literal = ''.join('\\%03o' % byte for byte in data)
    with Server('BEGIN { @["%s"] = count(); @long["%sa"] = count(); @long["%sb"] = count(); }' %
                (literal, 'x' * 2000, 'x' * 2000), '-x', 'strsize=4k') as s:
        found = samples(s.ready('dtrace_long'))
        (_, ((_, value),)), = [key for key in found if key[0] == 'dtrace_aggregation_total']
        back = re.sub(rb'\\x([0-9a-f]{2})', lambda m: bytes([int(m.group(1), 16)]),
                      value.encode())
        harness.check(back == data, '%r', value)
        long = [labels[0][1] for name, labels in found if name == 'dtrace_long_total']
        harness.check(len(set(long)) == 2 and max(map(len, long)) < 1100, '%s', long)


def limited():
    """So many samples of an aggregation, the largest rows; one message for each."""
    program = ('BEGIN { @one = count(); n = 0; } tick-1ms /n < 100/ { @many[n] = sum(n); '
               '@hist[n] = quantize(n); n++; } tick-1ms /n == 100/ { @done = count(); }')
    with Server(program, '-x', 'metricslimit=20', '-x', 'aggrate=1ms') as s:
        found = samples(s.ready('dtrace_done'))
        many = [int(labels[0][1]) for name, labels in found if name == 'dtrace_many']
        harness.check(sorted(many) == list(range(80, 100)), '%s', many)
        hist = [1 for name, _ in found if name.startswith('dtrace_hist')]
        harness.check(0 < len(hist) <= 20, '%d', len(hist))
        harness.check(('dtrace_one_total', ()) in found, 'the others are not complete')
        s.get()
        said = re.findall(r'@(\w+) has more than 20 samples', s.messages())
        harness.check(sorted(said) == ['hist', 'many'], '%s', s.messages())


def requests():
    """What is not a request for the page is refused, and nothing ends the server."""
    with Server('BEGIN { @ = count(); }') as s:
        for path, method, data, status in (('x', 'GET', None, 404), ('/../../etc', 'GET', None, 404),
                                           ('', 'POST', b'x', 405), ('', 'DELETE', None, 405),
                                           ('', 'GET', b'x', 400), ('', 'HEAD', None, 200)):
            got, kind, text = s.get(path=path, method=method, data=data)
            harness.check(got == status and kind.startswith('text/plain' if status != 200 else
                                                            'application'),
                          '%s %s: %d %s', method, path, got, text)
        host, port = re.search(r'//(.*):(\d+)/', s.url).groups()
        for bytes_ in (b'\0' * 100, b'GET /metrics' + b'x' * 100000, b'GET ' + b'\r\n' * 20000):
            with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 30) as c:
                c.sendall(bytes_)
        harness.check('dtrace_aggregation_total 1' in s.get()[2], 'no page after that')


def silent_clients():
    """Clients that hold all connections keep neither the run nor its end from going on."""
    with Server('tick-5ms { printf("%d\\n", n++); }', '-x', 'switchrate=5ms') as s:
        host, port = re.search(r'//(.*):(\d+)/', s.url).groups()
        held = []
        for i in range(20):
            held.append(socket.socket())
            held[-1].setblocking(False)
            held[-1].connect_ex((host, int(port)))
            harness.until(lambda: i >= 8 or sent(held[-1]), 30, 'a connection')
        before = len(harness.content(s.out))
        harness.until(lambda: len(harness.content(s.out)) > before + 20, 30, 'records')
    for each in held:
        each.close()


class Slow:
    """Clients that send half a request, and one byte now and then, without an end."""

    def __init__(self, address, count):
        self.clients = [socket.create_connection(address, 30) for _ in range(count)]
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.drip)

    def drip(self):
        for client in self.clients:
            with contextlib.suppress(OSError):
                client.sendall(b'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ')
        while not self.is_over.wait(0.2):
            for client in self.clients:
                with contextlib.suppress(OSError):
                    client.send(b'x')

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        for client in self.clients:
            client.close()


def slow_clients():
    """A client is answered beside any number that never end their requests; these are cut
    off in the end."""
    with Server('BEGIN { @ = count(); }') as s:
        host, port = re.search(r'//(.*):(\d+)/', s.url).groups()
        for count in 7, 8, 30:
            with Slow((host, int(port)), count) as slow:
                for _ in range(3):
                    harness.check('dtrace_aggregation_total 1' in s.get()[2], 'no page')
                for client in slow.clients:
                    with contextlib.suppress(ConnectionError):
                        harness.check(client.recv(1) == b'', 'not cut off')


def host_names():
    """Only local names of the host, but for an address that was given."""
    def status(s, name):
        host, port = re.search(r'//(.*):(\d+)/', s.url).groups()
        line = 'Host: %s\r\n' % name.replace('PORT', port) if name is not None else ''
        with socket.create_connection((host, int(port)), 30) as c:
            version = '1.0' if name is None else '1.1'
            c.sendall(('GET /metrics HTTP/%s\r\n%s\r\n' % (version, line)).encode())
            return int(c.recv(12).split()[1])
    local = ('localhost', 'LocalHost:PORT', '127.0.0.1:PORT', '127.1.2.3', '[::1]:PORT', '[::1]',
             None)
    others = ('evil.example', 'evil.example:PORT', 'localhost.evil.example', '127.0.0.1.evil.example',
              '128.0.0.1', '[::2]', '[::1', '[::1]x', '127.1', '0.0.0.0', 'localhost@evil', 'x' * 99)
    with Server('BEGIN { @ = count(); }') as s:
        for name in local:
            harness.check(status(s, name) == 200, '%s is refused', name)
        for name in others:
            harness.check(status(s, name) == 403, '%s is answered', name)
    with Server('BEGIN { @ = count(); }', address='127.0.0.1:0') as s:
        harness.check(status(s, 'proxy.example') == 200, 'refused though an address was given')


def sent(client):
    """Half a request."""
    try:
        return client.send(b'GET /metrics HTTP/1.1\r\nHo') > 0
    except OSError:
        return False


def addresses():
    """Loopback unless an address is given; what cannot be is said."""
    def refused(address, reason):
        result = harness.run([harness.DTRACE, '-q', '--metrics', address, '-n', 'BEGIN'])
        harness.check(result.status == 1 and reason in result.err, '%s: %s', address, result)
    for bad in ('', 'x', '65536', '-1', ':1', '1:2:3', '::1:0', 'localhost', '[::1]', '127.0.0.1:',
                'no.such.host:0', '12x'):
        refused(bad, "bad address '%s' for metrics" % bad)
    refused('192.0.2.1:0', "cannot serve metrics at '192.0.2.1:0': Cannot assign requested address")
    with Server('BEGIN { @ = count(); }') as s:
        port = re.search(r'//127\.0\.0\.1:(\d+)/metrics$', s.url).group(1)
        refused(port, "cannot serve metrics at '%s': Address already in use" % port)
    for address in ('localhost:0', '[::1]:0'):
        if address[0] == '[' and not os.path.exists('/proc/net/if_inet6'):
            continue
        with Server('BEGIN { @ = count(); }', address=address) as s:
            harness.check('dtrace_aggregation_total 1' in s.get()[2], 'no page at %s', address)


def without_library():
    """The library is loaded for metrics alone; where it cannot be, dtrace says so and ends."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'libmicrohttpd.so.12'), 'wb'):
            pass
        env = {'LD_LIBRARY_PATH': folder}
        result = harness.run([harness.DTRACE, '-q', '--metrics', '0', '-n', 'BEGIN'], env=env)
        harness.check(result.status == 1 and 'cannot serve metrics without libmicrohttpd.so.12' in
                      result.err and 'apt-get install' in result.err, '%s', result)
        result = harness.run([harness.DTRACE, '-qn', 'BEGIN { printf("fine"); exit(0); }'], env=env)
        harness.check(result.status == 0 and result.out.strip() == 'fine', '%s', result)


def program_unaware():
    """printa(), clear() and trunc() do what they do without readers."""
    program = ('BEGIN { i = 0; } tick-2ms /i < 200/ { @c = count(); @t[i % 3] = count(); i++; } '
               'tick-10ms { printa("C %@d\\n", @c); clear(@c); printa("T %@d\\n", @t); trunc(@t); }')
    with Server(program, '-x', 'aggrate=1ms', '-x', 'switchrate=3ms') as s:
        def total(letter):
            return sum(map(int, re.findall(r'^%s (\d+)$' % letter, harness.content(s.out), re.M)))
        def done():
            s.get()
            return total('C') >= 200 and total('T') >= 200
        harness.until(done, 60, 'all counts printed')
        harness.check(total('C') == 200 and total('T') == 200, '%d %d', total('C'), total('T'))


def scraped():
    """Prometheus reads the page as it is."""
    prometheus = harness.installed('prometheus')
    with Server('BEGIN { @["a\\"b", 3] = count(); @q = quantize(5); @m = max(7); } ') as s, \
            tempfile.TemporaryDirectory() as folder, socket.create_server(('127.0.0.1', 0)) as free:
        port = free.getsockname()[1]
        free.close()
        config = os.path.join(folder, 'prometheus.yml')
        with open(config, 'w', encoding='utf-8') as f:
            f.write('global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: dtrace\n'
                    '  static_configs: [{targets: ["%s"]}]\n' % re.search(r'//(.*)/', s.url).group(1))
        with open(os.path.join(folder, 'log'), 'w+', encoding='utf-8') as log, \
                subprocess.Popen([prometheus, '--config.file', config, '--storage.tsdb.path',
                                  os.path.join(folder, 'data'), '--web.listen-address',
                                  '127.0.0.1:%d' % port], stdout=log, stderr=log) as p:
            def query(text):
                url = 'http://127.0.0.1:%d/api/v1/query?query=%s' % (port, urllib.parse.quote(text))
                try:
                    with urllib.request.urlopen(url, timeout=10) as r:
                        return json.load(r)['data']['result']
                except (OSError, ValueError):
                    return []
            try:
                harness.until(lambda: query('dtrace_m') or p.poll() is not None, 60,
                              'a scrape')
                row, = query('dtrace_aggregation_total')
                harness.check(row['metric']['key1'] == 'a"b' and row['metric']['key2'] == '3' and
                              row['value'][1] == '1', '%s', row)
                row, = query('histogram_quantile(1, dtrace_q_bucket)')
                harness.check(float(row['value'][1]) == 7, '%s', row)
                row, = query('up')
                harness.check(row['value'][1] == '1', '%s', row)
            finally:
                p.terminate()


CASES = {case.__name__: case for case in (
    page, linted, fleet, hostile, limited, requests, silent_clients, slow_clients,
    host_names, addresses, without_library,
    program_unaware, scraped)}

harness.main(CASES)
