/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <sys/mount.h>
#include <sys/xattr.h>

#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"

static const char empty_main[] = "int main(void) { return 0; }\n";

static void test_dynamic_and_static(void **state)
{
	static const struct {
		const char *args;
		bool is_dynamic;
	} cases[] = {
		{"-pie -fPIE", true},
		{"-no-pie", true},
		{"-static", false},
		{"-static-pie -fPIE", false},
	};
	struct program_file p;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(compile("prog", empty_main, cases[i].args));
		assert_int_equal(program_file_read(in_dir("prog"), &p, &e), 0);
		assert_true(p.is_elf && p.is_native);
		assert_int_equal(p.is_dynamic, cases[i].is_dynamic);
		assert_false(p.is_setid);
		assert_string_equal(p.interpreter, "");
	}
}

static void test_classes(void **state)
{
	static const struct {
		uint8_t class, data;
		uint16_t machine;
	} cases[] = {
		{ELFCLASS32, ELFDATA2LSB, EM_386},
		{ELFCLASS32, ELFDATA2LSB, EM_X86_64}, /* x32 */
		{ELFCLASS64, ELFDATA2LSB, EM_AARCH64},
		{ELFCLASS64, ELFDATA2MSB, EM_X86_64},
	};
	struct program_file p;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Elf64_Ehdr h = {.e_machine = cases[i].machine, .e_type = ET_EXEC};

		memcpy(h.e_ident, ELFMAG, SELFMAG);
		h.e_ident[EI_CLASS] = cases[i].class;
		h.e_ident[EI_DATA] = cases[i].data;
		write_file("other", &h, sizeof(h));
		assert_int_equal(program_file_read(in_dir("other"), &p, &e), 0);
		assert_true(p.is_elf);
		assert_false(p.is_native);
	}
}

static void test_scripts(void **state)
{
	static const struct {
		const char *text, *interpreter;
	} cases[] = {
		{"#!/bin/sh\necho\n", "/bin/sh"},
		{"#! \t/usr/bin/env python3\n", "/usr/bin/env"},
		{"#!/bin/sh", "/bin/sh"},
		{"#!", ""},
		{"#!\n", ""},
		{"", ""},
		{"plain text\n", ""},
	};
	char long_line[1024] = "#!/", wanted[256];
	struct program_file p;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		write_file("script", cases[i].text, strlen(cases[i].text));
		assert_int_equal(program_file_read(in_dir("script"), &p, &e), 0);
		assert_false(p.is_elf);
		assert_string_equal(p.interpreter, cases[i].interpreter);
	}
	memset(long_line + 3, 'x', sizeof(long_line) - 3);
	write_file("script", long_line, sizeof(long_line));
	assert_int_equal(program_file_read(in_dir("script"), &p, &e), 0);
	memcpy(wanted, long_line + 2, 254); /* the kernel reads 256 bytes */
	wanted[254] = '\0';
	assert_string_equal(p.interpreter, wanted);
}

static void test_setid(void **state)
{
	static const struct {
		mode_t mode;
		bool is_setid;
	} cases[] = {
		{0755, false},	{04755, true}, {02755, true},
		{02745, false}, {06755, true},
	};
	/* revision 2, CAP_NET_RAW permitted */
	static const uint32_t capability[5] = {0x02000000, 1 << 13, 0, 0, 0};
	struct program_file p;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		write_file("setid", "", 0);
		assert_int_equal(chmod(in_dir("setid"), cases[i].mode), 0);
		assert_int_equal(program_file_read(in_dir("setid"), &p, &e), 0);
		assert_int_equal(p.is_setid, cases[i].is_setid);
	}
	assert_int_equal(chmod(in_dir("setid"), 0755), 0);
	if (setxattr(in_dir("setid"), "security.capability", capability,
		     sizeof(capability), 0) < 0) {
		print_message("file capabilities not tested: not permitted here\n");
		skip();
	}
	assert_int_equal(program_file_read(in_dir("setid"), &p, &e), 0);
	assert_true(p.is_setid);
}

static void test_refused(void **state)
{
	Elf64_Ehdr damaged = {.e_machine = EM_X86_64, .e_type = ET_EXEC, .e_phnum = 9};
	struct program_file p;
	struct err e;

	(void)state;
	assert_int_equal(program_file_read(in_dir("none"), &p, &e), STATUS_NOENT);
	assert_non_null(strstr(e.text, "No such file"));
	assert_int_equal(program_file_read(work_dir, &p, &e), STATUS_INVAL);
	assert_non_null(strstr(e.text, "is not a regular file"));
	assert_int_equal(program_file_read("/dev/null", &p, &e), STATUS_INVAL);
	/* a FIFO no one writes to must not hang us */
	assert_true(shell("mkfifo fifo"));
	assert_int_equal(program_file_read(in_dir("fifo"), &p, &e), STATUS_INVAL);
	memcpy(damaged.e_ident, ELFMAG, SELFMAG);
	damaged.e_ident[EI_CLASS] = ELFCLASS64;
	damaged.e_ident[EI_DATA] = ELFDATA2LSB;
	write_file("damaged", &damaged, sizeof(damaged));
	assert_int_equal(program_file_read(in_dir("damaged"), &p, &e), STATUS_BADFMT);
	assert_non_null(strstr(e.text, "program headers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dynamic_and_static),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_setid),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
