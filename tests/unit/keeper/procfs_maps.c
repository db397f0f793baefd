/* SPDX-License-Identifier: MIT */
/* Lines of /proc/PID/maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/os/procfs.h"
#include "vm/base/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { W = 1, X = 2, S = 4, F = 8 };

/* hi 0: the line is none of a mapping. */
static const struct {
	const char *line;
	uint64_t lo, hi;
	int flags;
	enum procfs_area_kind kind;
} lines[] = {
	{"00400000-0040b000 r-xp 00001000 fe:00 1234                  /bin/cat",
	 0x400000, 0x40b000, X | F, AREA_PLAIN},
	{"7f0000001000-7f0000002000 rw-p 00000000 00:00 0 ", 0x7f0000001000,
	 0x7f0000002000, W, AREA_PLAIN},
	{"7f0000001000-7f0000002000 rw-p 00000000 00:00 0", 0x7f0000001000,
	 0x7f0000002000, W, AREA_PLAIN},
	{"1000-2000 rw-s 00000000 00:01 7              /memfd:x (deleted)", 0x1000,
	 0x2000, W | S | F, AREA_PLAIN},
	{"1000-2000 rw-p 00000000 00:00 0              [heap]", 0x1000, 0x2000, W,
	 AREA_HEAP},
	{"1000-2000 rw-p 00000000 00:00 0              [stack]", 0x1000, 0x2000, W,
	 AREA_STACK},
	{"1000-2000 r-xp 00000000 00:00 0              [vdso]", 0x1000, 0x2000, X,
	 AREA_VDSO},
	{"1000-2000 r--p 00000000 00:00 0              [vvar]", 0x1000, 0x2000, 0,
	 AREA_PLAIN},
	{"1000-2000 r--p 00000000 00:00 0              [anon:[heap]]", 0x1000, 0x2000,
	 0, AREA_PLAIN},
	/* a file that is named so */
	{"1000-2000 r--p 00000000 fe:00 9              /[heap]", 0x1000, 0x2000, F,
	 AREA_PLAIN},
	/* the last page of all addresses */
	{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0     [vsyscall]",
	 0xffffffffff600000, 0xffffffffff601000, X, AREA_PLAIN},
	{"1000-2000 r-xp", 0x1000, 0x2000, X, AREA_PLAIN},
	{"1000-2000 r-x", 0, 0, 0, AREA_PLAIN},
	{"1000-2000", 0, 0, 0, AREA_PLAIN},
	{"2000-1000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"1000-1000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"-2000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"1000- r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"1000 2000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"1g00-2000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"1000-20G0 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{" 1000-2000 r-xp 00000000 00:00 0", 0, 0, 0, AREA_PLAIN},
	{"", 0, 0, 0, AREA_PLAIN},
};

static int read_text(const char *text, struct procfs_maps *out)
{
	char copy[512];
	int status;
	FILE *f;

	snprintf(copy, sizeof(copy), "%s\n", text);
	f = fmemopen(copy, strlen(copy), "r");
	assert_non_null(f);
	status = procfs_maps_read(f, out);
	fclose(f);
	return status;
}

static int flags_of(const struct procfs_area *a)
{
	return (a->is_writable ? W : 0) | (a->is_executable ? X : 0) |
	       (a->is_shared ? S : 0) | (a->is_file ? F : 0);
}

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct procfs_maps m = {0};
		int status = read_text(lines[i].line, &m);

		if (m.len != (lines[i].hi != 0) || status != (m.len ? 0 : STATUS_GONE))
			fail_msg("\"%s\": %zu mappings", lines[i].line, m.len);
		if (m.len && (m.data->range.lo.v != lines[i].lo ||
			      m.data->range.hi.v != lines[i].hi ||
			      flags_of(m.data) != lines[i].flags ||
			      m.data->kind != lines[i].kind))
			fail_msg("\"%s\": %llx-%llx flags %d kind %d", lines[i].line,
				 (unsigned long long)m.data->range.lo.v,
				 (unsigned long long)m.data->range.hi.v,
				 flags_of(m.data), (int)m.data->kind);
		procfs_maps_release(&m);
	}
}

/* What does not ascend is left out. */
static void test_order(void **state)
{
	struct procfs_maps m = {0};

	(void)state;
	assert_int_equal(read_text("3000-5000 r-xp 0 0:0 0\n1000-2000 r-xp 0 0:0 0\n"
				   "4000-6000 r-xp 0 0:0 0\n5000-6000 rw-p 0 0:0 0",
				   &m),
			 0);
	assert_int_equal(m.len, 2);
	assert_int_equal(m.data[0].range.lo.v, 0x3000);
	assert_int_equal(m.data[1].range.lo.v, 0x5000);
	procfs_maps_release(&m);
}

/* Those of this process: its code, its stack, and a mapping that it makes. */
static void test_own(void **state)
{
	char *made = mmap(NULL, 12288, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct procfs_area *a;
	struct procfs_maps m = {0};

	(void)state;
	assert_int_equal(procfs_maps(getpid(), &m), 0);
	a = procfs_maps_find(&m, taddr_of((uintptr_t)test_own));
	assert_non_null(a);
	assert_int_equal(flags_of(a), X | F);
	a = procfs_maps_find(&m, taddr_of((uintptr_t)&m));
	assert_non_null(a);
	assert_int_equal(a->kind, AREA_STACK);
	a = procfs_maps_find(&m, taddr_of((uintptr_t)made + 8192));
	assert_non_null(a);
	assert_int_equal(flags_of(a), W | S | F);
	assert_null(procfs_maps_find(&m, taddr_of(0)));
	procfs_maps_release(&m);
	munmap(made, 12288);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
