#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Values of generated functions, with two judges: what the program passes, and gdb.

Functions of random signatures are compiled without and with optimization. At the entry
of each, args[N] and locals.NAME are the values that its caller has in the source, or they
are refused. At other instructions locals.NAME is what gdb reads at the same pc, or it is
refused. A wrong value fails the case. Each case prints what it has compared.

ORACLE_FUNCTIONS says how many functions (12), ORACLE_SEED which (1).
"""
import json
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import DTRACE, check, installed, main, run  # noqa: E402

FUNCTIONS = int(os.environ.get('ORACLE_FUNCTIONS', '12'))
SEED = int(os.environ.get('ORACLE_SEED', '1'))

# ---- C ----

# A type: how it is written, and its parts, each a suffix and what it holds.
INTEGERS = {'signed char': 7, 'short': 15, 'int': 31, 'long': 62, 'unsigned': 31}
STRUCTS = {
    'two': 'int a, b;', 'mixed': 'long n; double d;', 'turned': 'double d; int n;',
    'floats': 'float f, g;', 'three': 'float f, g; int n;', 'tiny': 'char c[3];',
    'pair': 'long a, b;', 'big': 'long a[4];', 'odd': 'char c; short s; char *p;',
    'doubles': 'double d, e;', 'one': 'double d;', 'bits': 'unsigned a : 3, b : 20; long c;',
    'wide': 'long double l; int n;'}
PARTS = {
    'two': ['.a i', '.b i'], 'mixed': ['.n i', '.d f'], 'turned': ['.d f', '.n i'],
    'floats': ['.f f', '.g f'], 'three': ['.f f', '.g f', '.n i'],
    'tiny': ['.c[0] c', '.c[1] c', '.c[2] c'], 'pair': ['.a i', '.b i'],
    'big': ['.a[%d] i' % i for i in range(4)], 'odd': ['.c c', '.s c', '.p p'],
    'doubles': ['.d f', '.e f'], 'one': ['.d f'], 'bits': ['.a b', '.b i', '.c i'],
    'wide': ['.n i']}


class Parameter:
    def __init__(self, number, kind, parts):
        self.number, self.name, self.kind = number, 'p%d' % number, kind
        self.parts = [part.split() for part in parts]  # [suffix, what]
        self.is_used = random.random() < 0.75
        self.is_constant = random.random() < 0.2
        self.values = {suffix: draw(what) for suffix, what in self.parts}


def draw(what):
    if what == 'f':
        return random.randrange(-4000, 4000) / 8
    if what == 'b':
        return random.randrange(8)
    if what == 'c':
        return random.randrange(1, 100)
    return random.randrange(1, 1 << (47 if what == 'p' else 18))


def c_parameter(number):
    kind = random.choice(list(INTEGERS) * 2 + ['float', 'double', 'char *', 'double', 'long'] +
                         ['struct ' + s for s in STRUCTS])
    if kind.startswith('struct'):
        return Parameter(number, kind, PARTS[kind[7:]])
    what = {'float': 'f', 'double': 'f', 'char *': 'p', 'signed char': 'c', 'short': 'c'}
    return Parameter(number, kind, ['- ' + what.get(kind, 'i')])


def part_of(parameter, suffix):
    return parameter.name + suffix.replace('-', '')


def c_value(parameter, suffix, is_constant):
    value, what = parameter.values[suffix], dict(parameter.parts)[suffix]
    if what == 'p':
        return '(char *)%dl' % value if is_constant else '(char *)(%dl + zero)' % value
    return '%s' % value if is_constant else '(%s + zero)' % value


def c_function(number):
    parameters = [c_parameter(i) for i in range(random.randrange(0, 10))]
    is_local = random.random() < 0.5
    body = ''.join('\tsink += (long)%s;\n' % part_of(p, suffix)
                   for p in parameters if p.is_used for suffix, _ in p.parts)
    taken = [p for p in parameters if random.random() < 0.1]
    body += ''.join('\tescape(&%s);\n' % p.name for p in taken)
    body = body or '\tsink++;\n'
    text = '%s__attribute__((noinline)) long f%d(%s)\n{\n\tlong mine = zero + %d;\n%s' \
           '\tsink += mine;\n\treturn mine * 3;\n}\n' % (
               'static ' if is_local else '', number,
               ', '.join('%s %s' % (p.kind, p.name) for p in parameters) or 'void',
               number, body)
    return text, parameters


def c_call(number, parameters):
    out = ''
    for p in parameters:
        if p.kind.startswith('struct'):
            out += '\t%s v%d_%d;\n' % (p.kind, number, p.number)
            if p.kind == 'struct wide':
                out += '\tv%d_%d.l = 1;\n' % (number, p.number)
            out += ''.join('\tv%d_%d%s = %s;\n' % (number, p.number, suffix,
                                                   c_value(p, suffix, p.is_constant))
                           for suffix, _ in p.parts)
    words = ', '.join('v%d_%d' % (number, p.number) if p.kind.startswith('struct')
                      else c_value(p, '-', p.is_constant) for p in parameters)
    return out + '\tsink += f%d(%s);\n' % (number, words)


def c_program():
    made = [c_function(i) for i in range(FUNCTIONS)]
    text = 'volatile long sink, zero;\nvoid escape(void *);\n'
    text += ''.join('struct %s { %s };\n' % s for s in STRUCTS.items())
    text += ''.join(body for body, _ in made)
    text += '__attribute__((noinline)) void escape(void *p) { sink += (long)*(char *)p; }\n'
    text += 'int main(void)\n{\n' + ''.join(c_call(i, p) for i, (_, p) in enumerate(made))
    return text + '\treturn 0;\n}\n', [p for _, p in made]


# ---- Rust ----

RUST_STRUCTS = {
    'P3': ('a: u64, b: u64, c: u64', ['.a i', '.b i', '.c i']),
    'P2': ('a: u64, b: u64', ['.a i', '.b i']), 'H2': ('a: u32, b: u32', ['.a i', '.b i']),
    'Mix': ('n: u64, d: f64', ['.n i', '.d f']), 'One': ('n: u32', ['.n i']),
    'Few': ('a: u8, b: u8, c: u16', ['.a c', '.b c', '.c c'])}


def rust_parameter(number):
    kind = random.choice(['u8', 'i32', 'u32', 'u64', 'i64', 'f64', 'f32', '&str', '&[u32]'] +
                         list(RUST_STRUCTS) + ['Option<u32>'])
    if kind in RUST_STRUCTS:
        return Parameter(number, kind, RUST_STRUCTS[kind][1])
    parts = {'u8': '- c', 'f64': '- f', 'f32': '- f', '&str': '.length c', '&[u32]': '.length c'}
    return Parameter(number, kind, [] if kind == 'Option<u32>' else [parts.get(kind, '- i')])


def rust_word(p):
    if p.kind in RUST_STRUCTS:
        return '%s { %s }' % (p.kind, ', '.join(
            '%s: %s + zero as %s' % (suffix[1:], p.values[suffix], kind) for suffix, kind in
            zip(p.values, re.findall(r': (\w+)', RUST_STRUCTS[p.kind][0]))))
    if p.kind == 'Option<u32>':
        return 'Some(7 + zero as u32)'
    if p.kind == '&str':
        return '&TEXT[..%d + zero as usize]' % p.values['.length']
    if p.kind == '&[u32]':
        return '&LIST[..%d + zero as usize]' % p.values['.length']
    return '%s + zero as %s' % (p.values['-'], p.kind)


def rust_program():
    text = 'use std::hint::black_box;\nstatic TEXT: &str = "%s";\nstatic LIST: [u32; 100] =' \
           ' [7; 100];\n' % ('x' * 100)
    text += ''.join('#[derive(Clone, Copy)] pub struct %s { %s }\n' % (name, re.sub(
        r'(\w+:)', r'pub \1', fields)) for name, (fields, _) in RUST_STRUCTS.items())
    made, calls = [], ''
    for i in range(FUNCTIONS):
        parameters = [rust_parameter(k) for k in range(random.randrange(0, 6))]
        made.append(parameters)
        text += '#[inline(never)] %sfn f%d(%s) -> u64 {\n    let mine = black_box(%d);\n%s' \
                '    mine * 3\n}\n' % (
                    random.choice(['pub ', '', 'pub extern "C" ']), i,
                    ', '.join('%s: %s' % (p.name, p.kind) for p in parameters), i,
                    ''.join('    black_box(%s);\n' % p.name for p in parameters if p.is_used))
        calls += '    f%d(%s);\n' % (i, ', '.join(rust_word(p) for p in parameters))
    return text + 'fn main() {\n    let zero = black_box(0u64);\n%s}\n' % calls, made


# ---- what dtrace says ----

def d_print(word, expression, what):
    if what == 'f':
        return 'printf("%s %%.4f\\n", %s);' % (word, expression)
    return 'printf("%s %%d\\n", (long long)%s);' % (word, expression)


def asked_of(function, parameters):
    """Questions at the entry: word of the answer -> (clause's action, what is right)."""
    out = {}
    for p in parameters:
        for suffix, what in p.parts:
            end = suffix.replace('-', '')
            for way, name in (('args', 'args[%d]' % p.number), ('locals', 'locals.' + p.name)):
                word = '%s:%s:%s%s' % (function, way, p.name, end)
                out[word] = (d_print(word, name + end, what), p.values[suffix])
    return out


class Asking:
    """One run answers all questions that are not refused."""

    def __init__(self, path, questions):
        self.path, self.questions = path, questions  # word -> (probe, action)
        self.answers, self.refused, self.why = {}, set(), {}

    def run(self):
        left = dict(self.questions)
        with tempfile.TemporaryDirectory(prefix='oracle-') as folder:
            script, data = os.path.join(folder, 'q.d'), os.path.join(folder, 'data')
            while left:
                with open(script, 'w', encoding='utf-8') as f:
                    f.write('#pragma D option quiet\n')
                    f.write(''.join('%s\n{\n%s\n}\n' % q for q in left.values()))
                # as under gdb: what nobody has set may be an address
                result = run(['setarch', '-R', DTRACE, '-o', data, '-s', script, '-c',
                              self.path], timeout=100)
                if result.status == 0:
                    break
                lines = {int(n) for n in re.findall(r' line (\d+):', result.err)}
                gone = {w for i, w in enumerate(left)
                        if set(range(2 + 4 * i, 6 + 4 * i)) & lines}
                check(gone, 'nothing is refused, and it fails: %s', result)
                self.refused |= gone
                for line, text in re.findall(r' line (\d+): (.*)', result.err):
                    self.why[list(left)[(int(line) - 2) // 4]] = text
                left = {w: q for w, q in left.items() if w not in gone}
            if left:
                with open(data, encoding='utf-8', errors='replace') as f:
                    self.answers = dict(line.split(' ', 1) for line in f.read().splitlines()
                                        if ' ' in line)
        self.refused |= {w for w in left if w not in self.answers}  # faults


def is_equal(answer, right):
    try:
        return abs(float(answer) - float(right)) < 1e-3
    except (TypeError, ValueError):
        return False


class Tally:
    def __init__(self):
        self.equal, self.refused, self.known, self.wrong = 0, 0, 0, []

    def add(self, asking, right, source=None, unread=()):
        """right: word -> value; a value that the judge does not have must be refused.
        source: values of the source, which are right as well, where they are passed.
        unread: LLVM's callers pass anything for it, and the debug data says where."""
        for word in asking.questions:
            if word in asking.refused:
                self.refused += 1
                self.known += word in right
                if word in right and 'ORACLE_SHOW' in os.environ:
                    print('refused:', word, right[word], asking.why.get(word))
            elif any(is_equal(asking.answers[word], values.get(word))
                     for values in (right, source or {})):
                self.equal += 1
            elif word not in unread:
                self.wrong.append('%s: %s, right is %s' % (word, asking.answers[word],
                                                           right.get(word)))

    def __str__(self):
        return '%d equal, %d refused of which the judge knows %d, %d wrong' % (
            self.equal, self.refused, self.known, len(self.wrong))


# ---- gdb ----

GDB = '''
import gdb, json
def scalar(v):
    code = v.type.strip_typedefs().code
    return float(v) if code == gdb.TYPE_CODE_FLT else int(v)
asked = {}
for word, place, name in json.load(open("asked")):
    asked.setdefault(place, []).append((word, name))
for place in asked:
    gdb.Breakpoint(place)
answers = {}
def stop(event):
    for b in getattr(event, "breakpoints", []):
        for word, name in asked[b.location]:
            try:
                answers[word] = scalar(gdb.parse_and_eval(name))
            except gdb.error:
                pass
gdb.events.stop.connect(stop)
gdb.execute("run")
while gdb.selected_inferior().pid:
    gdb.execute("continue")
json.dump(answers, open("answers", "w"))
'''


def ask_gdb(path, asked):
    """asked: [word, place, expression]; returns word -> value, of those that it has."""
    with tempfile.TemporaryDirectory(prefix='oracle-') as folder:
        for name, text in (('asked', json.dumps(asked)), ('ask.py', GDB)):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
                f.write(text)
        result = run([installed('gdb'), '-q', '-batch', '-nx', '-x', 'ask.py', path],
                     cwd=folder, timeout=300)
        check(os.path.exists(os.path.join(folder, 'answers')), 'gdb failed: %s', result)
        with open(os.path.join(folder, 'answers'), encoding='utf-8') as f:
            return json.load(f)


# ---- the cases ----

def symbols_of(path):
    """Function number -> the name that its code has, which may be that of a copy."""
    out = {}
    for line in run(['nm', path]).out.splitlines():
        name = line.split()[-1]
        m = re.match(r'f(\d+)(\.(constprop|isra)\.\d+)*$|_ZN1p\d+f(\d+)17h\w+E$', name)
        if m:
            out[int(m.group(1) or m.group(4))] = (name, int(line.split()[0], 16))
    return out


def inside(path, name, address):
    """Some instructions of a function where its frame stands: gdb finds variables by the
    frame pointer before it is set, and after it is restored."""
    text = run(['objdump', '-dl', '--no-show-raw-insn', '--disassemble=' + name, path]).out
    lines = [(int(m.group(1), 16), m.group(2)) for m in
             re.finditer(r'^\s+([0-9a-f]+):\s+(\S+)', text[text.find(':\n'):], re.M)]
    second = re.search(r'\.(?:c|rs):\d+.*?\.(?:c|rs):\d+[^\n]*\n\s+([0-9a-f]+):', text, re.S)
    begin = int(second.group(1), 16) if second else address
    later = [at for at, word in lines if at > max(begin, address)
             and word not in ('ret', 'pop')]
    return random.sample(later, min(2, len(later)))


def judge(path, made, with_gdb, is_optimized):
    symbols, tally = symbols_of(path), Tally()
    questions, source, unread = {}, {}, set()
    at, asked = {}, []
    for number, parameters in enumerate(made):
        if number not in symbols:
            continue
        name, address = symbols[number]
        for word, (action, value) in asked_of('f%d' % number, parameters).items():
            questions[word] = ('pid$target:a.out:%s:entry' % name, action)
            source[word] = value
            if is_optimized and not parameters[int(word.split(':p')[1][0])].is_used:
                unread.add(word)
            if is_optimized:
                asked.append([word, '*0x%x' % address, word.split(':')[2]])
        for pc in inside(path, name, address) if with_gdb else []:
            parts = [(part_of(p, suffix), what) for p in parameters for suffix, what in p.parts]
            # without optimization a variable has its place before it has a value
            for part, what in parts + [('mine', 'i')] * is_optimized:
                word = 'f%d+%x:%s' % (number, pc - address, part)
                at[word] = ('pid$target:a.out:%s:%x' % (name, pc - address),
                            d_print(word, 'locals.' + part, what))
                asked.append([word, '*0x%x' % pc, part])
    right = ask_gdb(path, asked) if with_gdb else {}
    asking, between = Asking(path, questions), Tally()
    asking.run()
    tally.add(asking, right if with_gdb and is_optimized else source, source, unread)
    if at:
        asking = Asking(path, at)
        asking.run()
        between.add(asking, right)
    return tally, between


def compared(what, source, made, command, with_gdb=True):
    with tempfile.TemporaryDirectory(prefix='oracle-') as folder:
        name, path = os.path.join(folder, source[0]), os.path.join(folder, 'p')
        with open(name, 'w', encoding='utf-8') as f:
            f.write(source[1])
        built = run(command + ['-o', path, name], timeout=200)
        check(built.status == 0, 'not built: %s', built)
        tally, between = judge(path, made, with_gdb, not {'-O', '-O2'}.isdisjoint(command))
    print('%s: entries %s; between %s' % (what, tally, between))
    wrong = tally.wrong + between.wrong
    check(not wrong, '%d wrong:\n%s', len(wrong), '\n'.join(wrong[:40]))
    check(tally.equal > tally.refused / 4, 'nearly all is refused')


def c_case(compiler, *options):
    def case():
        random.seed('%d %s %s' % (SEED, compiler, options))
        text, made = c_program()
        compared('%s %s' % (compiler, ' '.join(options)), ('p.c', text), made,
                 [installed(compiler), '-g', '-w', '-fno-pie', '-no-pie', *options])
    return case


def rust_case(*options):
    def case():
        random.seed('%d rust %s' % (SEED, options))
        text, made = rust_program()
        compared('rustc %s' % ' '.join(options), ('p.rs', text), made,
                 [installed('rustc'), '-g', '-A', 'warnings', '--crate-name', 'p', *options],
                 with_gdb=False)
    return case


CASES = {
    'gcc': c_case('gcc', '-O0'),
    'gcc_optimized': c_case('gcc', '-O2'),
    'clang': c_case('clang', '-O0'),
    'clang_optimized': c_case('clang', '-O2'),
    'rust': rust_case(),
    'rust_optimized': rust_case('-O'),
}

if __name__ == '__main__':
    main(CASES)
