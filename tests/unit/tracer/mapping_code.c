/* SPDX-License-Identifier: MIT */
/* Where code makes the system calls that map memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tracer/mapped/mapping_code.h"

#define AT 0x401000

static void test_scan(void **state)
{
	static const struct {
		const char *code;
		size_t n, places;
		uint64_t offset;
		enum keeper_hold hold;
	} cases[] = {
		/* mov $9, %eax; syscall; ret */
		{"\xb8\x09\0\0\0\x0f\x05\xc3", 8, 1, 7, KEEPER_HOLD_MMAP},
		/* mov %ecx, %r10d; mov $10, %eax; syscall; ret */
		{"\x41\x89\xca\xb8\x0a\0\0\0\x0f\x05\xc3", 11, 1, 10,
		 KEEPER_HOLD_MPROTECT},
		/* mov $329, %eax; syscall */
		{"\xb8\x49\x01\0\0\x0f\x05", 7, 1, 7, KEEPER_HOLD_MPROTECT},
		/* mov $25, %eax; syscall */
		{"\xb8\x19\0\0\0\x0f\x05", 7, 1, 7, KEEPER_HOLD_MREMAP},
		/* mov $11, %eax; syscall: munmap(2) */
		{"\xb8\x0b\0\0\0\x0f\x05\xc3", 8, 0, 0, 0},
		/* mov $9, %eax; nop; syscall: not directly before it */
		{"\xb8\x09\0\0\0\x90\x0f\x05\xc3", 9, 0, 0, 0},
		/* the same bytes inside of movabs $..., %rdx */
		{"\x48\xba\xb8\x09\0\0\0\x0f\x05\xc3\xc3", 11, 0, 0, 0},
		/* nothing that is no instruction is passed */
		{"\x06\xb8\x09\0\0\0\x0f\x05", 8, 0, 0, 0},
		/* twice in one function: both are found */
		{"\xb8\x09\0\0\0\x0f\x05\xb8\x09\0\0\0\x0f\x05", 14, 2, 7,
		 KEEPER_HOLD_MMAP},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mapping_place places[MAPPING_PLACES_MAX];
		size_t found = 0;

		mapping_code_scan((const uint8_t *)cases[i].code, cases[i].n,
				  taddr_of(AT), places, &found);
		assert_int_equal(found, cases[i].places);
		if (!found)
			continue;
		assert_int_equal(places[0].at.v, AT + cases[i].offset);
		assert_int_equal(places[0].hold, cases[i].hold);
		/* Known ones are not found again. */
		mapping_code_scan((const uint8_t *)cases[i].code, cases[i].n,
				  taddr_of(AT), places, &found);
		assert_int_equal(found, cases[i].places);
	}
}

/* No more places than there is room for. */
static void test_many(void **state)
{
	uint8_t code[7 * (MAPPING_PLACES_MAX + 4)];
	struct mapping_place places[MAPPING_PLACES_MAX];
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(code); i += 7)
		memcpy(code + i, "\xb8\x09\0\0\0\x0f\x05", 7);
	mapping_code_scan(code, sizeof(code), taddr_of(AT), places, &found);
	assert_int_equal(found, MAPPING_PLACES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
