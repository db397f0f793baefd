/* SPDX-License-Identifier: MIT */
/* decode_brief() says what decode_quick() says: over code, and over all kinds of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "tests/unit/support/brief.h"

#define ROOM 40

/* At every byte, of an instruction or not. */
static void test_code(void **state)
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
		for (const uint8_t *p = (const uint8_t *)lo; p < (const uint8_t *)hi;
		     p++, count++)
			assert_true(brief_agrees(p, (size_t)((const uint8_t *)hi - p)));
	}
	fclose(maps);
	assert_true(count > 1000000);
}

/* Each prefix, opcode of each map, ModRM and SIB; what follows looks like opcodes. */
static void test_encodings(void **state)
{
	static const char *const before[] = {
		"",	    "\x66",	"\xf2",	    "\xf3",	"\x2e",	    "\x65",
		"\xf0",	    "\x67",	"\x48",	    "\x41",	"\x42",	    "\x4f",
		"\x66\x48", "\x48\x66", "\xf3\x41", "\x48\x48", "\xf0\x48",
	};
	static const char *const maps[] = {
		"",
		"\x0f",
		"\x0f\x38",
		"\x0f\x3a",
		"\xc5\xf8",
		"\xc4\xe1\x78",
		"\xc4\xe2\x78",
		"\xc4\xe3\xf9",
		"\xc4\xe4\x78",
		"\x62\xf1\x7c\x48",
		"\x8f\xe8\x78",
	};
	static const uint8_t sibs[] = {0x25, 0x44, 0xa5};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(before) * ARRAY_LEN(maps); i++) {
		const char *prefix = before[i % ARRAY_LEN(before)];
		const char *map = maps[i / ARRAY_LEN(before)];
		size_t n = strlen(prefix) + strlen(map);
		uint8_t bytes[ROOM];

		memset(bytes, 0xc7, sizeof(bytes));
		memcpy(bytes, prefix, strlen(prefix));
		memcpy(bytes + strlen(prefix), map, strlen(map));
		for (size_t k = 0; k < 256 * 256 * ARRAY_LEN(sibs); k++) {
			bytes[n] = (uint8_t)k;
			bytes[n + 1] = (uint8_t)(k >> 8);
			bytes[n + 2] = sibs[k >> 16];
			if (k < 256 * 256 || (k >> 8 & 7) == 4)
				assert_true(brief_agrees(bytes, sizeof(bytes)));
		}
	}
}

/* An instruction that the bytes end in is none, however many there are before. */
static void test_cut(void **state)
{
	static const uint8_t code[] = {
		0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0, 0, /* nopw */
		0x48, 0x8d, 0x05, 1,	2,    3,    4,			 /* lea */
		0xe9, 1,    2,	  3,	4,				 /* jmp */
	};

	(void)state;
	for (size_t lo = 0; lo < sizeof(code); lo++)
		for (size_t hi = lo; hi <= sizeof(code); hi++)
			assert_true(brief_agrees(code + lo, hi - lo));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
