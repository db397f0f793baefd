/* SPDX-License-Identifier: MIT */
/* What module_read_code() finds in files built for the purpose, and in damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/pulse.h"
#include "vm/base/status.h"

#define BIAS UINT64_C(0x7f0000000000)

static const char catching[] =
	"extern void may_throw(int);\n"
	"extern \"C\" int catcher(int n) {\n"
	"	try { may_throw(n); } catch (int x) { return x; }\n"
	"	return 0; }\n";

/* A hundred landing pads; with -D behind 300 KB of constants. */
static const char many[] =
	"extern void may_throw(int);\n"
	"#define ONE try { may_throw(n); } catch (int x) { r += x; }\n"
	"#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE\n"
	"extern \"C\" int catcher(int n) { int r = 0;\n"
	"	TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN return r; }\n"
	"#ifdef LARGE\n"
	"__asm__(\".section .rodata\\n.fill 300000,1,7\\n.text\");\n"
	"#endif\n";

#define LARGE 300000 /* bytes of an area that stays in the file, or more */

/* Labels known by their addresses: in a table of pointers, in a section of its own. */
static const char labels[] =
	"extern \"C\" int hops(int n) {\n"
	"	static void *const table[] = {&&a, &&b, &&c};\n"
	"	volatile int v = n; goto *table[n % 3];\n"
	"a: v++; b: v += 2; c: return v; }\n"
	"__asm__(\".text\\n.globl seq\\n.type seq,@function\\n"
	"seq: nop\\n.Lfrom: nop\\nnop\\n.Lto: ret\\n.long 0x53053053\\n"
	".globl on_abort\\non_abort: ret\\n.size seq,.-seq\\n"
	".section __rseq_cs,\\\"aw\\\"\\n.long 0,0\\n.quad .Lfrom\\n"
	".quad .Lto-.Lfrom\\n.quad on_abort\\n.text\\n"
	".globl back\\n.type back,@function\\nback: .cfi_startproc\\n"
	".cfi_signal_frame\\nmov $15,%rax\\nsyscall\\n.cfi_endproc\\n"
	".size back,.-back\\n"
	".globl __cp_begin\\n__cp_begin: nop\\nnop\\nnop\\n"
	".globl __cp_end\\n__cp_end: ret\\n\");\n";

/* 8000 bytes of constants; with -D there is a function among them. */
static const char constants[] =
	"__asm__(\".section .rodata\\n.globl table\\ntable: .fill "
	"2000,4,0xe8\\n.text\");\n"
	"#ifdef FUNCTION\n"
	"__attribute__((section(\".rodata\"), used)) void among(void) {}\n"
	"#endif\n"
	"extern \"C\" int get(int n) { return n; }\n";

static void write_source(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

struct opened {
	struct module *m;
	struct module_code *code;
};

static void open_code(const char *name, struct opened *o)
{
	struct err e;

	assert_int_equal(module_read_file(in_dir(name), BIAS, &o->m, &e), 0);
	assert_int_equal(module_load_symbols(o->m, &e), 0);
	assert_int_equal(module_read_code(o->m, &o->code, &e), 0);
}

static void close_code(struct opened *o)
{
	module_code_free(o->code);
	module_free(o->m);
}

/* How many pointers lead into the function after its first byte. */
static size_t count_inside(const struct opened *o, const char *name)
{
	const struct symbol *s = module_find(o->m, name);
	size_t n = 0;

	assert_non_null(s);
	for (size_t i = 0; i < o->code->npointers; i++)
		n += symbol_holds(o->m, s,
				  module_address(o->m, o->code->pointers[i])) &&
		     o->code->pointers[i] != s->value;
	return n;
}

static const struct code_zone *find_zone(const struct opened *o,
					 enum code_zone_kind kind, uint64_t value)
{
	for (size_t i = 0; i < o->code->nzones; i++) {
		if (o->code->zones[i].kind == kind && o->code->zones[i].value == value)
			return &o->code->zones[i];
	}
	return NULL;
}

static uint64_t value_of(const struct opened *o, const char *name)
{
	taddr at;

	assert_int_equal(module_lookup_any(o->m, name, &at), 0);
	return at.v - o->m->bias;
}

static void test_landing_pads(void **state)
{
	struct opened o;

	(void)state;
	write_source("catch.cc", catching);
	assert_true(shell("g++ -O2 -shared -fPIC -o catch.so catch.cc"));
	open_code("catch.so", &o);
	assert_true(count_inside(&o, "catcher") >= 1);
	assert_false(o.code->is_fixed);
	assert_int_equal(o.m->bias, BIAS);
	assert_true(o.m->lo.v == BIAS && o.m->hi.v > BIAS);
	close_code(&o);
	/* without a table of sections the tables are found through segments */
	assert_true(
		shell("objcopy --strip-section-headers catch.so bare.so 2>/dev/null "
		      "|| { cp catch.so bare.so && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | "
		      "dd of=bare.so bs=1 seek=40 conv=notrunc 2>/dev/null; }"));
	open_code("bare.so", &o);
	assert_true(count_inside(&o, "catcher") >= 1);
	close_code(&o);
}

/* The tables are in an area that is not read as a whole. */
static void test_large(void **state)
{
	struct opened o;
	size_t npads;

	(void)state;
	write_source("many.cc", many);
	assert_true(shell("g++ -O1 -shared -fPIC -o many.so many.cc"));
	open_code("many.so", &o);
	npads = o.code->npointers;
	for (size_t i = 0; i < o.code->nareas; i++)
		assert_non_null(o.code->areas[i].data);
	close_code(&o);
	assert_true(shell("g++ -O1 -shared -fPIC -DLARGE -o large.so many.cc"));
	open_code("large.so", &o);
	assert_int_equal(o.code->npointers, npads);
	assert_true(count_inside(&o, "catcher") >= 100);
	for (size_t i = 0; i < o.code->nareas; i++) {
		const struct code_area *a = &o.code->areas[i];
		uint8_t first = 0;

		assert_true(a->data || a->size >= LARGE);
		assert_true(module_code_reread(o.code, a, 0, &first, 1));
		assert_true(module_code_hold_area(o.code, i));
		if (!a->is_relocated)
			assert_int_equal(a->data[0], first);
	}
	close_code(&o);
}

static void check_labels(const char *flags, bool is_fixed)
{
	char command[256];
	const struct code_zone *z;
	struct opened o;

	write_source("labels.cc", labels);
	snprintf(command, sizeof(command), "g++ -O1 %s -o labels.out labels.cc", flags);
	assert_true(shell(command));
	open_code("labels.out", &o);
	assert_int_equal(o.code->is_fixed, is_fixed);
	assert_int_equal(o.m->bias, is_fixed ? 0 : BIAS);
	if (!is_fixed)
		assert_true(count_inside(&o, "hops") >= 3);
	assert_true(o.m->has_restartable);
	z = find_zone(&o, CODE_ZONE_RSEQ, value_of(&o, "seq"));
	assert_non_null(z);
	assert_int_equal(z->size, 3);
	z = find_zone(&o, CODE_ZONE_RSEQ, value_of(&o, "on_abort") - 4);
	assert_non_null(z);
	assert_int_equal(z->size, 4);
	z = find_zone(&o, CODE_ZONE_SIGNAL, value_of(&o, "back"));
	assert_non_null(z);
	assert_int_equal(z->size, 9);
	z = find_zone(&o, CODE_ZONE_CANCEL, value_of(&o, "__cp_begin"));
	assert_non_null(z);
	assert_int_equal(z->size, 3);
	close_code(&o);
}

static void test_relocations(void **state)
{
	(void)state;
	check_labels("-shared -fPIC", false);
	check_labels("-shared -fPIC -Wl,-z,pack-relative-relocs", false);
	check_labels("-no-pie -nostdlib -static -Wl,-e,hops", true);
}

/* Segments as the file has them, each once and in order. */
static void test_areas(void **state)
{
	struct opened o;
	size_t ncode = 0;

	(void)state;
	assert_true(shell("cp /bin/true true.out"));
	open_code("true.out", &o);
	for (size_t i = 0; i < o.code->nareas; i++) {
		const struct code_area *a = &o.code->areas[i];

		ncode += a->is_code;
		assert_true(a->size > 0);
		if (i)
			assert_true(a->value >= a[-1].value + a[-1].size);
	}
	assert_int_equal(ncode, 1);
	assert_true(o.code->nframes > 10);
	for (size_t i = 1; i < o.code->nframes; i++)
		assert_true(o.code->frames[i].value >= o.code->frames[i - 1].value);
	close_code(&o);
}

static void check_constants(const char *name, bool is_code)
{
	const uint64_t end = 8000;
	struct opened o;
	uint64_t at;

	open_code(name, &o);
	at = value_of(&o, "table");
	for (size_t i = 0; i < o.code->nareas; i++) {
		const struct code_area *a = &o.code->areas[i];
		uint64_t skip = at - a->value;

		if (at < a->value || skip >= a->size)
			continue;
		assert_int_equal(a->is_code, is_code);
		assert_true(end <= a->size - skip);
		assert_int_equal(a->data[skip], 0xe8);
		assert_int_equal(a->data[skip + end - 4], 0xe8);
	}
	at = value_of(&o, "get");
	for (size_t i = 0; i < o.code->nareas; i++)
		if (at - o.code->areas[i].value < o.code->areas[i].size)
			assert_true(o.code->areas[i].is_code);
	close_code(&o);
}

/* Of executable segments, the sections that are not are data. */
static void test_constants(void **state)
{
	(void)state;
	write_source("constants.cc", constants);
	assert_true(shell("g++ -shared -fPIC -Wl,-z,separate-code "
			  "-o apart.so constants.cc"));
	check_constants("apart.so", false);
	assert_true(shell("g++ -shared -fPIC -Wl,-z,noseparate-code "
			  "-o together.so constants.cc"));
	check_constants("together.so", false);
	/* but not when there is a function in them, or if nothing says so */
	assert_true(shell("g++ -shared -fPIC -Wl,-z,noseparate-code -DFUNCTION "
			  "-Wa,-W -o among.so constants.cc"));
	check_constants("among.so", true);
	assert_true(
		shell("cp together.so bare.so && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | "
		      "dd of=bare.so bs=1 seek=40 conv=notrunc 2>/dev/null"));
	check_constants("bare.so", true);
}

static void test_errors(void **state)
{
	struct module *m;
	struct err e;

	(void)state;
	assert_int_equal(module_read_file(in_dir("nothing"), 0, &m, &e), STATUS_NOENT);
	assert_int_equal(module_read_file(work_dir, 0, &m, &e), STATUS_INVAL);
	write_source("text",
		     "not an ELF file, but long enough to be read as a header....");
	assert_int_equal(module_read_file(in_dir("text"), 0, &m, &e), STATUS_BADFMT);
}

static void damage(uint8_t *file, size_t n, unsigned *seed)
{
	for (int i = 0; i < 40; i++) {
		*seed = *seed * 1103515245 + 12345;
		/* headers and the small tables are where it hurts */
		file[(*seed >> 8) % (*seed & 64 ? n : min_u64(n, 4096))] ^=
			(uint8_t)(*seed >> 24);
	}
	memcpy(file, "\177ELF\2\1\1", 7);
}

/* Its process, or its file, goes between the symbols and the code. */
static void test_gone(void **state)
{
	struct module_code *code = (void *)1;
	struct module *m;
	struct err e;

	(void)state;
	write_source("catch.cc", catching);
	assert_true(shell("g++ -O2 -shared -fPIC -o gone.so catch.cc"));
	assert_int_equal(module_read_file(in_dir("gone.so"), BIAS, &m, &e), 0);
	assert_int_equal(module_load_symbols(m, &e), 0);
	assert_int_equal(unlink(in_dir("gone.so")), 0);
	assert_true(module_read_code(m, &code, &e) < 0);
	assert_null(code);
	code = (void *)1;
	m->is_vdso = true;
	assert_int_equal(module_read_code(m, &code, &e), STATUS_UNSUP);
	assert_null(code);
	m->is_vdso = false;
	module_free(m);
}

static bool give_up(void *ctx)
{
	size_t *beats = ctx;

	return ++*beats > 1;
}

/* Long lists are given up on the way. */
static void test_given_up(void **state)
{
	struct module_code *code = NULL;
	struct module *m;
	size_t beats = 0;
	struct err e;

	(void)state;
	assert_true(shell("cp -L \"$(g++ -print-file-name=libstdc++.so.6)\" long.so"));
	assert_int_equal(module_read_file(in_dir("long.so"), BIAS, &m, &e), 0);
	assert_int_equal(module_load_symbols(m, &e), 0);
	pulse_set(give_up, &beats);
	assert_true(module_read_code(m, &code, &e) < 0);
	pulse_set(NULL, NULL);
	assert_null(code);
	assert_true(beats > 1);
	assert_int_equal(module_read_code(m, &code, &e), 0);
	module_code_free(code);
	module_free(m);
}

/* Whatever the file says, nothing outside it is read. The sanitizers watch. */
static void test_damaged(void **state)
{
	static uint8_t whole[1 << 16], file[1 << 16];
	unsigned seed = 1;
	size_t n;
	FILE *f;

	(void)state;
	write_source("catch.cc", catching);
	assert_true(shell("g++ -O2 -shared -fPIC -o catch.so catch.cc"));
	f = fopen(in_dir("catch.so"), "r");
	n = fread(whole, 1, sizeof(whole), f);
	fclose(f);
	for (int turn = 0; turn < 400; turn++) {
		struct module_code *code;
		struct module *m;
		struct err e;

		memcpy(file, whole, n);
		damage(file, n, &seed);
		f = fopen(in_dir("damaged"), "w");
		fwrite(file, 1, n, f);
		fclose(f);
		if (module_read_file(in_dir("damaged"), BIAS, &m, &e) != 0)
			continue;
		if (module_load_symbols(m, &e) == 0 &&
		    module_read_code(m, &code, &e) == 0)
			module_code_free(code);
		module_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_landing_pads), cmocka_unit_test(test_large),
		cmocka_unit_test(test_relocations),  cmocka_unit_test(test_areas),
		cmocka_unit_test(test_gone),	     cmocka_unit_test(test_errors),
		cmocka_unit_test(test_given_up),     cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_constants),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
