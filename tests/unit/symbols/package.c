/* SPDX-License-Identifier: MIT */
/*
 * Packages of split DWARF: the parts of a unit, and damaged indexes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/dwarf/image.h"
#include "symbols/dwarf/package.h"

#define ID    UINT64_C(0x1122334455667788)
#define TWICE UINT64_C(0x1122334455667799)

/* Two units of each section; the version of DWARF is in bytes 4 and 5 of their entries. */
static const char info[] = "len1\5\0one.len2\4\0two.";
static const char abbrev[] = "ab1.ab2.";
static const uint32_t offsets[] = {0, 0x50000, 4, 4, 99, 0};
static const char strings[] = "abc\0other\0";

/* The slots are 2 for the units, and 2 that are free. */
struct index {
	uint32_t version, columns, rows, slots;
	uint64_t ids[4];
	uint32_t numbers[4], sections[3], at[2][3], sizes[2][3];
} __attribute__((packed));

static const struct index good = {
	.version = 5,
	.columns = 3,
	.rows = 2,
	.slots = 4,
	.ids = {ID, 0, TWICE},
	.numbers = {1, 0, 2},
	.sections = {1, 3, 6},
	.at = {{0, 0, 0}, {10, 4, 16}},
	.sizes = {{10, 4, 16}, {10, 4, 8}},
};

static void open_file(const void *index, size_t n, struct elf_file *f)
{
	const struct image_section sections[] = {
		{".debug_info.dwo", info, sizeof(info) - 1},
		{".debug_abbrev.dwo", abbrev, sizeof(abbrev) - 1},
		{".debug_str_offsets.dwo", offsets, sizeof(offsets)},
		{".debug_str.dwo", strings, sizeof(strings) - 1},
		{".debug_cu_index", index, n},
	};
	int fd = memfd_create("package", MFD_CLOEXEC);
	struct strbuf image = {0};
	struct err e;

	image_make(EM_X86_64, sections, ARRAY_LEN(sections), &image);
	assert_int_equal(write(fd, image.data, image.len), image.len);
	assert_int_equal(elf_open_shared(f, fd, "prog.dwp", &e), 0);
	strbuf_release(&image);
}

static bool has(const struct strbuf *image, const void *bytes, size_t n)
{
	return memmem(image->data, image->len, bytes, n) != NULL;
}

/* Each unit has its part of each section, and its own strings only. */
static void test_parts(void **state)
{
	static const uint32_t five[] = {0, 0x50000, 0, UINT32_MAX};
	struct strbuf image = {0};
	struct elf_file f;
	struct package *p;
	struct err e;

	(void)state;
	open_file(&good, sizeof(good), &f);
	assert_int_equal(package_open(&f, &p, &e), 0);
	assert_true(package_has(p, ID) && package_has(p, TWICE) && !package_has(p, 7));
	assert_int_equal(package_image(p, 7, &image, &e), STATUS_NOENT);
	/* 4, 4: the header is kept, its third word is a string */
	assert_int_equal(package_image(p, ID, &image, &e), 0);
	assert_true(has(&image, "len1", 4) && has(&image, "ab1.", 4));
	assert_false(has(&image, "len2", 4) || has(&image, "ab2.", 4));
	assert_true(has(&image, "other\0other", 12) && !has(&image, "abc", 3));
	strbuf_reset(&image);
	/* of DWARF 4 there is no header; an offset outside is no string */
	assert_int_equal(package_image(p, TWICE, &image, &e), 0);
	assert_true(has(&image, "len2", 4) && has(&image, "ab2.", 4));
	assert_true(has(&image, "abc", 4) && !has(&image, "other", 5));
	assert_true(has(&image, &five[3], 4));
	strbuf_release(&image);
	package_close(p);
	elf_release(&f);
}

static void test_damaged(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *why;
	} cases[] = {
		{0, 7, "version 7 of the index of 'prog.dwp' is not known"},
		{4, 17, "too many columns"},
		{4, 16, "too short"},
		{8, UINT32_MAX, "too short"},
		{8, 3, "too short"},
		{12, UINT32_MAX, "too short"},
		{12, 5, "too short"},
		{offsetof(struct index, numbers), 3, "names what it does not have"},
		{offsetof(struct index, at), 11, "names what it does not have"},
		{offsetof(struct index, at), UINT32_MAX, "names what it does not have"},
		{offsetof(struct index, sizes), 21, "names what it does not have"},
		{offsetof(struct index, sizes), UINT32_MAX,
		 "names what it does not have"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct index bad = good;
		struct elf_file f;
		struct package *p;
		struct err e;

		memcpy((char *)&bad + cases[i].at, &cases[i].value, 4);
		open_file(&bad, sizeof(bad), &f);
		assert_true(package_open(&f, &p, &e) != 0 && !p);
		if (!strstr(e.text, cases[i].why))
			fail_msg("%zu: %s", i, e.text);
		elf_release(&f);
	}
	for (size_t n = 1; n < sizeof(good); n++) {
		struct elf_file f;
		struct package *p;
		struct err e;

		open_file(&good, n, &f);
		assert_int_equal(package_open(&f, &p, &e), STATUS_BADFMT);
		elf_release(&f);
	}
}

/* Strings that many offsets name are not copied beyond the limit of the file. */
static void test_bomb(void **state)
{
	static char text[1 << 16];
	static uint32_t many[1 << 15];
	static struct index one;
	const struct image_section sections[] = {
		{".debug_info.dwo", info, 10},
		{".debug_str_offsets.dwo", many, sizeof(many)},
		{".debug_str.dwo", text, sizeof(text)},
		{".debug_cu_index", &one, sizeof(one)},
	};
	int fd = memfd_create("package", MFD_CLOEXEC);
	struct strbuf image = {0}, out = {0};
	struct elf_file f;
	struct package *p;
	struct err e;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	one = good;
	one.sections[1] = 0;
	memset(one.at, 0, sizeof(one.at));
	one.sizes[0][2] = one.sizes[1][2] = sizeof(many);
	image_make(EM_X86_64, sections, ARRAY_LEN(sections), &image);
	assert_int_equal(write(fd, image.data, image.len), image.len);
	assert_int_equal(elf_open_shared(&f, fd, "prog.dwp", &e), 0);
	assert_int_equal(package_open(&f, &p, &e), 0);
	assert_int_equal(package_image(p, ID, &out, &e), STATUS_BADFMT);
	assert_non_null(strstr(e.text, "'prog.dwp' is too large to be read"));
	package_close(p);
	elf_release(&f);
	strbuf_release(&image);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
