/* SPDX-License-Identifier: MIT */
/*
 * Go's own table of functions, in each of its versions, in programs that have no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>

#include "symbols/dwarf/cfi_go.h"
#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/oom.h"

/* Three functions: of 3 bytes and padding, of 5 that end like padding, of 16. */
static const char code[] =
	"__asm__(\".text\\n.balign 32\\ntext:\\n\"\n"
	"\"first: nop\\nnop\\nret\\n.balign 16, 0xcc\\n\"\n"
	"\"second: nop\\nnop\\n.byte 0xeb, 0x00, 0xcc\\n.balign 16, 0xcc\\n\"\n"
	"\"third: .fill 15, 1, 0x90\\nret\\nend:\\n\");\n";

/* Values by pc: none; 3 bytes; 2 and then 3. Zigzag values, a 0 ends. */
#define VALUES "values: .byte 0\\nv1: .byte 2, 3, 0\\nv2: .byte 2, 2, 1, 3, 0\\n"
#define NAMES                                                                          \
	"names: .byte 0\\nn1: .asciz \\\"main.first\\\"\\n"                            \
	"n2: .asciz \\\"main.(*T).second\\\"\\nn3: .asciz \\\"main.third\\\"\\n"
/* What is said of a function: its beginning, name, two words, three tables. The third
 * goes on after recover() at its byte 7 (the assembler's true is -1). */
#define ABOUT(n, start, name, values)                                                  \
	"f" n ": " start "\\n.long " name ", 0, 7 & (" n " == 3), " values ", 0, 0\\n"

static const char table_2[] =
	"table: .long magic\\n.byte 0, 0, 1, 8\\n.quad 3\\n"
	".quad first, f1-table, second, f2-table, third, f3-table, end\\n" ABOUT(
		"1", ".quad first", "n1-table", "v1-table")
		ABOUT("2", ".quad second", "n2-table", "v2-table")
			ABOUT("3", ".quad third", "n3-table", "0") VALUES NAMES;

static const char table_16[] =
	"table: .long magic\\n.byte 0, 0, 1, 8\\n.quad 3, 0\\n"
	".quad names-table, 0, 0, values-table, entries-table\\n" NAMES VALUES
	"entries: .quad first, f1-entries, second, f2-entries\\n"
	".quad third, f3-entries, end\\n" ABOUT("1", ".quad first", "n1-names",
						"v1-values")
		ABOUT("2", ".quad second", "n2-names", "v2-values")
			ABOUT("3", ".quad third", "n3-names", "0");

static const char table_18[] =
	"table: .long magic\\n.byte 0, 0, 1, 8\\n.quad 3, 0, text\\n"
	".quad names-table, 0, 0, values-table, entries-table\\n" NAMES VALUES
	"entries: .long first-text, f1-entries, second-text\\n"
	".long f2-entries, third-text, f3-entries, end-text\\n" ABOUT(
		"1", ".long first-text", "n1-names", "v1-values")
		ABOUT("2", ".long second-text", "n2-names", "v2-values")
			ABOUT("3", ".long third-text", "n3-names", "0");

/* The note by which a Go program is known. */
static const char note[] =
	"__asm__(\".section .note.go.buildid,\\\"a\\\",@note\\n.long 4, 4, 4\\n\"\n"
	"\".asciz \\\"Go\\\\0\\\"\\n.ascii \\\"abcd\\\"\\n.text\\n\");\n";

struct layout {
	const char *table;
	unsigned magic;
	const char *section, *options;
};

static void build(const char *name, const struct layout *l)
{
	char source[8192];

	snprintf(source, sizeof(source),
		 "%s%s__asm__(\".section %s,\\\"aw\\\"\\n.set magic, 0x%x\\n"
		 ".balign 32\\n%s\\n.text\\n\");\n%s",
		 code, note, l->section, l->magic, l->table, MAIN_WAITS);
	assert_true(compile(name, source, l->options));
}

static struct module *load(const char *name)
{
	struct module *m;
	struct err e;

	assert_int_equal(module_read_file(in_dir(name), 0x1000, &m, &e), 0);
	assert_int_equal(module_load_symbols(m, &e), 0);
	return m;
}

static void check_functions(const struct module *m)
{
	static const struct {
		const char *name;
		uint64_t size;
	} wanted[] = {{"main.first", 3}, {"main.(*T).second", 5}, {"main.third", 16}};
	const struct symbol *s, *before = NULL;

	assert_int_equal(m->source, SYMBOL_SOURCE_GO);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		s = module_find(m, wanted[i].name);
		if (!s || s->size != wanted[i].size)
			fail_msg("%s has %d bytes", wanted[i].name,
				 s ? (int)s->size : -1);
		if (before)
			assert_int_equal(s->value, before->value + 16);
		before = s;
	}
}

/* Control may arrive there, and at the functions, but at no other byte of the three. */
static void check_resumed(const struct module *m)
{
	const struct symbol *first = module_find(m, "main.first");
	const struct symbol *third = module_find(m, "main.third");
	struct module_code *c;
	struct err e;
	size_t n = 0;

	assert_int_equal(module_read_code(m, &c, &e), 0);
	for (size_t i = 0; i < c->npointers; i++) {
		const uint64_t at = c->pointers[i];

		if (at < first->value || at >= third->value + third->size ||
		    (at - first->value) % 16 == 0)
			continue;
		assert_int_equal(at, third->value + 7);
		n++;
	}
	assert_int_equal(n, 1);
	module_code_free(c);
}

static void test_versions(void **state)
{
	enum {
		STACK = REGS_CONVENTION_GO_STACK,
		REGISTERS = REGS_CONVENTION_GO,
		UNKNOWN = REGS_CONVENTION_UNKNOWN
	};
	static const struct {
		struct layout layout;
		int convention;
	} cases[] = {
		{{table_2, 0xfffffffb, ".gopclntab", "-no-pie -s"}, STACK},
		{{table_2, 0xfffffffb, ".gopclntab", "-fPIE -pie -s"}, STACK},
		/* Go 1.16, or 1.17 */
		{{table_16, 0xfffffffa, ".gopclntab", "-no-pie -s"}, UNKNOWN},
		{{table_16, 0xfffffffa, ".data.rel.ro.gopclntab", "-fPIE -pie -s"},
		 UNKNOWN},
		{{table_18, 0xfffffff0, ".gopclntab", "-no-pie -s"}, REGISTERS},
		{{table_18, 0xfffffff0, ".data.rel.ro.gopclntab", "-fPIE -pie -s"},
		 REGISTERS},
		{{table_18, 0xfffffff1, ".gopclntab", "-no-pie -s"}, REGISTERS},
		/* joined with other sections, as other linkers do */
		{{table_18, 0xfffffff1, ".data.rel.ro", "-fPIE -pie -s"}, REGISTERS},
	};
	const struct symbol *s;
	struct module *m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		build("go", &cases[i].layout);
		m = load("go");
		check_functions(m);
		check_resumed(m);
		s = module_find(m, "main.third");
		assert_int_equal((int)symbol_convention(m, s), cases[i].convention);
		module_free(m);
	}
}

static void test_unknown_version(void **state)
{
	static const struct layout newer = {table_18, 0xffffffef, ".gopclntab",
					    "-no-pie -s"};
	struct module *m;

	(void)state;
	build("newer", &newer);
	m = load("newer");
	assert_true(m->source != SYMBOL_SOURCE_GO);
	assert_null(module_find(m, "main.first"));
	module_free(m);
}

/* A full table is better; code that Go's table leaves out is known by address. */
static void test_beside(void **state)
{
	static const struct layout whole = {table_2, 0xfffffffb, ".gopclntab",
					    "-no-pie"};
	struct module *m;

	(void)state;
	build("beside", &whole);
	m = load("beside");
	assert_int_equal(m->source, SYMBOL_SOURCE_SYMTAB);
	assert_null(module_find(m, "main.first"));
	module_free(m);
	assert_true(shell("strip -o bare beside"));
	m = load("bare");
	check_functions(m);
	assert_true(m->is_stripped);
	assert_true(m->nsymbols > 3);
	module_free(m);
}

/* Where the table begins in the file. */
static size_t find_table(const uint8_t *file, size_t n)
{
	static const uint8_t magic[] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8};
	const uint8_t *p = memmem(file, n, magic, sizeof(magic));

	assert_non_null(p);
	return (size_t)(p - file);
}

/* Every word of the table in turn has values that it should not have. */
static void test_damaged(void **state)
{
	static const uint32_t bad[] = {
		0, 1, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000, 64};
	enum { TABLE_SIZE = 360 };
	uint8_t *file = oom_calloc(1, 1 << 20);
	static const struct layout whole = {table_18, 0xfffffff1, ".gopclntab",
					    "-no-pie -s"};
	size_t n, at;
	FILE *f;

	(void)state;
	build("whole", &whole);
	f = fopen(in_dir("whole"), "r");
	assert_non_null(f);
	n = fread(file, 1, 1 << 20, f);
	fclose(f);
	at = find_table(file, n);
	for (size_t i = 0; i < TABLE_SIZE; i += i < 80 ? 4 : 1) {
		for (size_t k = 0; k < ARRAY_LEN(bad); k++) {
			uint32_t good;
			struct module *m;

			memcpy(&good, file + at + i, 4);
			memcpy(file + at + i, &bad[k], 4);
			write_file("damaged", file, n);
			memcpy(file + at + i, &good, 4);
			m = load("damaged");
			for (size_t s = 0; s < m->nsymbols; s++) {
				assert_true(m->symbols[s].size > 0);
				assert_true(strlen(m->symbols[s].name) < n);
			}
			module_free(m);
		}
	}
	/* a file that ends in it */
	for (size_t i = 1; i < TABLE_SIZE; i += 7) {
		struct module *m;
		struct err e;

		write_file("short", file, at + i);
		if (module_read_file(in_dir("short"), 0, &m, &e) == 0) {
			module_load_symbols(m, &e);
			module_free(m);
		}
	}
	free(file);
}

/* ---- its unwind table ---- */

static void test_frames(void **state)
{
	static struct go_assembly assembly[] = {{0x1000, false}, {0x1400, true}};
	static const struct {
		uint64_t start;
		enum cfi_go_frame old, frame;
	} functions[] = {
		{0xfff, CFI_GO_NOT, CFI_GO_NOT},
		{0x1000, CFI_GO_UNKNOWN, CFI_GO_ASSEMBLY},
		{0x1200, CFI_GO_UNKNOWN, CFI_GO_COMPILED},
		{0x1400, CFI_GO_UNKNOWN, CFI_GO_UNKNOWN},
		{0x2000, CFI_GO_NOT, CFI_GO_NOT},
	};
	struct go_code go = {.lo = 0x1000,
			     .hi = 0x2000,
			     .convention = REGS_CONVENTION_GO,
			     .assembly = {assembly, 2, 2}};
	struct elf_file f;
	struct err e;

	(void)state;
	assert_int_equal(elf_open(&f, open("/proc/self/exe", O_RDONLY), "self", &e), 0);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		go.convention = REGS_CONVENTION_GO;
		assert_int_equal(cfi_go_frame(&f, &go, functions[i].start),
				 functions[i].frame);
		go.convention = REGS_CONVENTION_UNKNOWN;
		assert_int_equal(cfi_go_frame(&f, &go, functions[i].start),
				 functions[i].old);
	}
	elf_release(&f);
}

/* Where fp is in a row, and for how long before it is not yet there. */
static void test_saved_fp(void **state)
{
	static const struct {
		enum cfi_go_frame frame;
		bool is_first;
		int cfa, fp;
		unsigned before;
	} cases[] = {
		{CFI_GO_NOT, true, 80, CFI_SAME, 0},
		{CFI_GO_COMPILED, true, 8, CFI_SAME, 0},
		{CFI_GO_COMPILED, true, 16, -2, 0}, /* push */
		{CFI_GO_COMPILED, true, 80, -2, 5},
		{CFI_GO_COMPILED, true, 143, -2, 5},
		{CFI_GO_COMPILED, true, 144, -2, 8},
		{CFI_GO_COMPILED, false, 80, -2, 0},
		{CFI_GO_ASSEMBLY, true, 80, CFI_LOST, 0},
		{CFI_GO_ASSEMBLY, true, 8, CFI_SAME, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cfi_row row = {
			.form = CFI_ROW_PLAIN, .cfa = cases[i].cfa, .fp = CFI_SAME};

		assert_int_equal(cfi_go_set_fp(cases[i].frame, cases[i].is_first, &row),
				 cases[i].before);
		assert_int_equal(row.fp, cases[i].fp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions), cmocka_unit_test(test_unknown_version),
		cmocka_unit_test(test_beside),	 cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_frames),	 cmocka_unit_test(test_saved_fp),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
