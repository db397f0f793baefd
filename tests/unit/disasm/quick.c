/* SPDX-License-Identifier: MIT */
/* decode_quick() says what decode() says, over the code of the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "disasm/disasm.h"

static size_t compare_range(const uint8_t *code, size_t n)
{
	struct insn slow, quick;
	size_t count = 0;

	for (size_t at = 0; at < n; count++) {
		taddr pc = taddr_of(0x400000 + at);

		if (decode(code + at, n - at, pc, &slow) != 0) {
			at++;
			continue;
		}
		assert_int_equal(decode_quick(code + at, n - at, pc, &quick), 0);
		assert_memory_equal(&slow, &quick, sizeof(slow));
		at += slow.len;
	}
	return count;
}

static void test_agreement(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long lo, hi;
	char line[512];
	size_t count = 0;

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, " r-xp ") || !strstr(line, "libc") ||
		    sscanf(line, "%lx-%lx", &lo, &hi) != 2)
			continue;
		count += compare_range((const uint8_t *)lo, hi - lo);
	}
	fclose(maps);
	assert_true(count > 100000);
}

/* What exists for no processor is an instruction by its encoding alone. */
static void test_unknown(void **state)
{
	static const uint8_t unknown[] = {0x0f, 0xa6, 0xff}, cut[] = {0xe8, 0, 0};
	struct insn in;

	(void)state;
	assert_int_not_equal(decode(unknown, sizeof(unknown), taddr_of(0), &in), 0);
	assert_int_not_equal(decode_quick(cut, sizeof(cut), taddr_of(0), &in), 0);
	assert_int_not_equal(decode_quick(cut, 0, taddr_of(0), &in), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
