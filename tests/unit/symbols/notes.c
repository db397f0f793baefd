/* SPDX-License-Identifier: MIT */
/*
 * Notes of USDT probes: every form of an operand, what is no operand, and notes that are
 * damaged in each of their fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/internal.h"
#include "symbols/notes/internal.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/oom.h"

#define NONE   PROBE_OPERAND_NO_REG
#define ROUNDS 3000

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R12 = 12, R15 = 15 };

/* clang-format off */
static const struct {
	const char *text;
	int kind;
	int64_t disp;
	int base, index, scale, size, shift;
	bool is_signed, is_float;
	const char *symbol;
} good[] = {
	{"8@%rax", PROBE_OPERAND_REGISTER, 0, RAX, NONE, 1, 8, 0, false, false, ""},
	{"-8@%rsp", PROBE_OPERAND_REGISTER, 0, RSP, NONE, 1, 8, 0, true, false, ""},
	{"4@%ecx", PROBE_OPERAND_REGISTER, 0, RCX, NONE, 1, 4, 0, false, false, ""},
	{"-4@%r12d", PROBE_OPERAND_REGISTER, 0, R12, NONE, 1, 4, 0, true, false, ""},
	{"2@%dx", PROBE_OPERAND_REGISTER, 0, RDX, NONE, 1, 2, 0, false, false, ""},
	{"-2@%r8w", PROBE_OPERAND_REGISTER, 0, R8, NONE, 1, 2, 0, true, false, ""},
	{"1@%bl", PROBE_OPERAND_REGISTER, 0, RBX, NONE, 1, 1, 0, false, false, ""},
	{"-1@%bh", PROBE_OPERAND_REGISTER, 0, RBX, NONE, 1, 1, 8, true, false, ""},
	{"1@%sil", PROBE_OPERAND_REGISTER, 0, RSI, NONE, 1, 1, 0, false, false, ""},
	{"1@%bpl", PROBE_OPERAND_REGISTER, 0, RBP, NONE, 1, 1, 0, false, false, ""},
	{"1@%r15b", PROBE_OPERAND_REGISTER, 0, R15, NONE, 1, 1, 0, false, false, ""},
	{"4@%rdi", PROBE_OPERAND_REGISTER, 0, RDI, NONE, 1, 4, 0, false, false, ""},
	{"8@%eax", PROBE_OPERAND_REGISTER, 0, RAX, NONE, 1, 4, 0, false, false, ""},
	{"%eax", PROBE_OPERAND_REGISTER, 0, RAX, NONE, 1, 4, 0, true, false, ""},
	{"8f@%rax", PROBE_OPERAND_REGISTER, 0, RAX, NONE, 1, 8, 0, false, true, ""},
	{"8f@%xmm0", PROBE_OPERAND_VECTOR, 0, 0, NONE, 1, 8, 0, false, true, ""},
	{"4f@%xmm15", PROBE_OPERAND_VECTOR, 0, 15, NONE, 1, 4, 0, false, true, ""},
	{"$5", PROBE_OPERAND_CONSTANT, 5, NONE, NONE, 1, 8, 0, true, false, ""},
	{"-4@$-5", PROBE_OPERAND_CONSTANT, -5, NONE, NONE, 1, 4, 0, true, false, ""},
	{"4@$0x7f", PROBE_OPERAND_CONSTANT, 0x7f, NONE, NONE, 1, 4, 0, false, false, ""},
	{"8@$name", PROBE_OPERAND_CONSTANT, 0, NONE, NONE, 1, 8, 0, false, false, "name"},
	{"8@$name+8", PROBE_OPERAND_CONSTANT, 8, NONE, NONE, 1, 8, 0, false, false, "name"},
	{"8@(%rax)", PROBE_OPERAND_MEMORY, 0, RAX, NONE, 1, 8, 0, false, false, ""},
	{"-4@-20(%rbp)", PROBE_OPERAND_MEMORY, -20, RBP, NONE, 1, 4, 0, true, false, ""},
	{"8@0x10(%rax,%rcx)", PROBE_OPERAND_MEMORY, 16, RAX, RCX, 1, 8, 0, false, false, ""},
	{"-4@-20(%rbp,%rax,4)", PROBE_OPERAND_MEMORY, -20, RBP, RAX, 4, 4, 0, true, false, ""},
	{"8@(,%rax,8)", PROBE_OPERAND_MEMORY, 0, NONE, RAX, 8, 8, 0, false, false, ""},
	{"8@name(%rip)", PROBE_OPERAND_MEMORY, 0, NONE, NONE, 1, 8, 0, false, false, "name"},
	{"8@8+name(%rip)", PROBE_OPERAND_MEMORY, 8, NONE, NONE, 1, 8, 0, false, false, "name"},
	{"8@name-8(%rip)", PROBE_OPERAND_MEMORY, -8, NONE, NONE, 1, 8, 0, false, false, "name"},
	{"4@name(,%rax,4)", PROBE_OPERAND_MEMORY, 0, NONE, RAX, 4, 4, 0, false, false, "name"},
	{"4@.LC0(%rip)", PROBE_OPERAND_MEMORY, 0, NONE, NONE, 1, 4, 0, false, false, ".LC0"},
	{"8f@8(%rsp)", PROBE_OPERAND_MEMORY, 8, RSP, NONE, 1, 8, 0, false, true, ""},
	{"name", PROBE_OPERAND_MEMORY, 0, NONE, NONE, 1, 8, 0, true, false, "name"},
	{"8@%fs:16", PROBE_OPERAND_MEMORY, 16, NONE, NONE, 1, 8, 0, false, false, ""},
	{"8@%fs:-8(%rax)", PROBE_OPERAND_MEMORY, -8, RAX, NONE, 1, 8, 0, false, false, ""},
};
/* clang-format on */

static void test_operands(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct parsed_operand p;
		const struct probe_operand *o = &p.operand;

		if (!operand_parse(good[i].text, strlen(good[i].text), &p))
			fail_msg("%s is refused", good[i].text);
		if (o->kind != good[i].kind || o->base != good[i].base ||
		    o->index != good[i].index || o->scale != good[i].scale ||
		    o->size != good[i].size || o->shift != good[i].shift ||
		    (bool)o->is_signed != good[i].is_signed ||
		    p.is_float != good[i].is_float ||
		    (int64_t)probe_operand_disp(o) != good[i].disp ||
		    strcmp(p.symbol, good[i].symbol) != 0)
			fail_msg("%s is read as another operand", good[i].text);
		assert_true(probe_operand_is_valid(o));
		assert_int_equal(o->is_thread_local,
				 strstr(good[i].text, "%fs") != NULL);
	}
}

static void test_no_operands(void **state)
{
	static const char *const bad[] = {
		"",
		"@",
		"8@",
		"-@%rax",
		"3@%rax",
		"16@%rax",
		"0@%rax",
		"8f@",
		"2f@%ax",
		"8@%",
		"8@%zax",
		"8@%rip",
		"8@%xmm16",
		"8@%xmm",
		"8@%xmm0x",
		"8@%r16",
		"8@%r7",
		"8@%r8q",
		"8@%raxx",
		"8@%rax,",
		"8@$",
		"8@$-",
		"8@$1.5",
		"8@$%rax",
		"8@(",
		"8@()x",
		"8@(%eax)",
		"8@(%rax",
		"8@(%rax,%rsp,2)",
		"8@(%rax,%rcx,3)",
		"8@(%rax,%rcx,)",
		"8@(%rip)",
		"8@16(%rip)",
		"8@a+b(%rip)",
		"8@-a(%rip)",
		"8@*(%rax)",
		"8@%gs:0",
		"8@%fs:a",
		"8@a@PLT",
		"8@a b",
		"8@1 2",
		"99999999999@%rax",
	};
	struct parsed_operand p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (operand_parse(bad[i], strlen(bad[i]), &p))
			fail_msg("'%s' is accepted", bad[i]);
}

static void test_values(void **state)
{
	static const struct {
		int size;
		bool is_signed;
		uint64_t word, value;
	} rows[] = {
		{1, false, 0x1ff, 0xff},
		{1, true, 0x1ff, UINT64_MAX},
		{1, true, 0x17f, 0x7f},
		{2, true, 0x8000, (uint64_t)-0x8000},
		{4, false, UINT64_MAX, UINT32_MAX},
		{4, true, 0x80000000, (uint64_t)INT32_MIN},
		{8, false, UINT64_MAX, UINT64_MAX},
		{8, true, UINT64_C(1) << 63, UINT64_C(1) << 63},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct probe_operand o = {.size = (uint8_t)rows[i].size,
						.is_signed = rows[i].is_signed};

		assert_int_equal(probe_operand_extend(&o, rows[i].word), rows[i].value);
	}
}

/* ---- files ---- */

static const char source[] =
	"#define NOTE(name, args, sem) __asm__ volatile(\"990: nop\\n\" \\\n"
	"\".pushsection .note.stapsdt, \\\"\\\", \\\"note\\\"\\n.balign 4\\n\" \\\n"
	"\".4byte 992f - 991f, 994f - 993f, 3\\n991: .asciz \\\"stapsdt\\\"\\n\" \\\n"
	"\"992: .balign 4\\n993: .8byte 990b, 0, \" sem \"\\n\" \\\n"
	"\".asciz \\\"own\\\"\\n.asciz \\\"\" name \"\\\"\\n.asciz \\\"\" args "
	"\"\\\"\\n\" \\\n"
	"\"994: .balign 4\\n.popsection\\n\")\n"
	"short semaphore = 0; const short constant = 1; long data = 3;\n"
	"int main(void) {\n"
	"NOTE(\"one\", \"-4@$3  8@data(%rip) 8@absent(%rip) \", \"semaphore\");\n"
	"NOTE(\"two\", \"\", \"0\");\n"
	"NOTE(\"in_text\", \"\", \"main\");\n"
	"NOTE(\"in_rodata\", \"\", \"constant\");\n"
	"NOTE(\"nowhere\", \"\", \"0x123456789\");\n"
	"NOTE(\"bad:name\", \"\", \"0\");\n"
	"return 0; }\n";

static struct module *open_own(const char *name)
{
	struct module *m;
	struct err e;

	assert_int_equal(module_read_file(in_dir(name), 0x10000, &m, &e), 0);
	return m;
}

/* Semaphores are in writable data only, sites in code, names are words. */
static void test_file(void **state)
{
	struct probe_argument list[PROBE_OPERANDS_MAX];
	struct probe_notes notes;
	struct module *m;
	taddr data;
	struct err e;

	(void)state;
	assert_true(compile("own", source, "-O1 -no-pie -fno-pie"));
	m = open_own("own");
	assert_int_equal(module_probe_notes(m, &notes, &e), 0);
	assert_int_equal(notes.len, 2);
	assert_int_equal(notes.nbad, 4);
	assert_string_equal(notes.data[0].provider, "own");
	assert_string_equal(notes.data[0].name, "one");
	assert_true(notes.data[0].semaphore != 0);
	assert_int_equal(notes.data[1].semaphore, 0);
	assert_int_equal(probe_note_arguments(m, &notes, 1, list), 0);
	assert_int_equal(probe_note_arguments(m, &notes, 0, list), 3);
	assert_int_equal(module_lookup_any(m, "data", &data), 0);
	assert_int_equal(list[0].operand.kind, PROBE_OPERAND_CONSTANT);
	assert_int_equal(list[1].operand.kind, PROBE_OPERAND_MEMORY);
	assert_int_equal(probe_operand_disp(&list[1].operand), data.v);
	assert_int_equal(list[2].operand.kind, PROBE_OPERAND_NONE);
	/* The same by the tables that are loaded, up to a number of names. */
	assert_int_equal(module_load_symbols(m, &e), 0);
	for (int i = 0; i < 300; i++) {
		assert_int_equal(probe_note_arguments(m, &notes, 0, list), 3);
		assert_int_equal(list[1].operand.kind,
				 i < 255 ? PROBE_OPERAND_MEMORY : PROBE_OPERAND_NONE);
		if (i < 255)
			assert_int_equal(probe_operand_disp(&list[1].operand), data.v);
	}
	probe_notes_release(&notes);
	module_free(m);
}

/* What is promised of any file. */
static void look(const struct module *m)
{
	struct probe_argument list[PROBE_OPERANDS_MAX];
	struct probe_notes notes;
	struct err e;

	if (module_probe_notes(m, &notes, &e) == 0)
		for (size_t i = 0; i < notes.len; i++) {
			const struct probe_note *n = &notes.data[i];
			size_t count = probe_note_arguments(m, &notes, i, list);

			assert_in_range(strlen(n->provider), 1, PROBE_NOTE_NAME_MAX);
			assert_in_range(strlen(n->name), 1, PROBE_NOTE_NAME_MAX);
			for (size_t k = 0; k < count && k < PROBE_OPERANDS_MAX; k++)
				assert_true(probe_operand_is_valid(&list[k].operand));
		}
	probe_notes_release(&notes);
}

/* Each word of the notes in turn, and random bytes: sizes, strings, addresses. */
static void test_damaged(void **state)
{
	static const uint32_t words[] = {0,	     1,		 7,	    8,
					 0x7fffffff, 0xffffffff, 0xfffffffc};
	uint64_t seed = 0x2545f4914f6cdd1d;
	const Elf64_Shdr *s = NULL;
	struct elf_file f;
	struct err e;
	uint8_t *bytes;
	int fd;

	(void)state;
	assert_true(compile("bad", source, "-O1 -no-pie -fno-pie"));
	fd = open(in_dir("bad"), O_RDWR | O_CLOEXEC);
	assert_int_equal(elf_open(&f, dup(fd), "bad", &e), 0);
	s = elf_section(&f, SHT_NOTE, ".note.stapsdt");
	assert_non_null(s);
	bytes = elf_read(&f, s->sh_offset, s->sh_size);
	for (size_t i = 0; i < ROUNDS; i++) {
		size_t at = i * 4 % s->sh_size;
		uint32_t word = i < s->sh_size / 4 * ARRAY_LEN(words)
					? words[i * 4 / s->sh_size]
					: (uint32_t)draw(&seed, UINT32_MAX);
		struct module *m;

		assert_int_equal(pwrite(fd, bytes, s->sh_size, (off_t)s->sh_offset),
				 (ssize_t)s->sh_size);
		assert_int_equal(pwrite(fd, &word, 4, (off_t)(s->sh_offset + at)), 4);
		m = open_own("bad");
		look(m);
		module_free(m);
	}
	free(bytes);
	elf_release(&f);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands), cmocka_unit_test(test_no_operands),
		cmocka_unit_test(test_values),	 cmocka_unit_test(test_file),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
