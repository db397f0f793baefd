/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/elf/machine.h"
#include "vm/base/bytes.h"

#define AT  UINT64_C(0x401000)
#define MAX 100 /* bytes of code */

struct jumps {
	uint64_t from[MAX], to[MAX];
	size_t n;
};

static void note(void *ctx, uint64_t from, uint64_t to)
{
	struct jumps *jumps = ctx;

	jumps->from[jumps->n] = from;
	jumps->to[jumps->n++] = to;
}

/* Byte by byte. */
static void find_slowly(const uint8_t *code, size_t n, struct jumps *out)
{
	for (size_t i = 0; i + MACHINE_JUMP_MAX <= n; i++) {
		bool is_long = code[i] == 0x0f && code[i + 1] >> 4 == 8;
		size_t end = i + 5 + is_long;

		if (is_long || code[i] == 0xe9)
			note(out, AT + i,
			     AT + end +
				     (uint64_t)(int32_t)bytes_load(code + end - 4, 4));
	}
}

/* All lengths, from all places: what is read at once must not matter. */
static void test_all_lengths(void **state)
{
	static const uint8_t often[] = {0xe9, 0x0f, 0x80, 0x8f, 0x7f, 0x90, 0xff, 0x00};
	uint8_t code[MAX];
	uint64_t word = 1;
	size_t njumps = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(code); i++) {
		word = word * UINT64_C(6364136223846793005) + 1442695040888963407;
		code[i] = often[word >> 61];
	}
	for (size_t from = 0; from < 20; from++)
		for (size_t n = 0; n <= sizeof(code) - from; n++) {
			struct jumps all = {.n = 0}, found = {.n = 0};

			find_slowly(code + from, n, &all);
			machine_find_jumps(code + from, n, AT, note, &found);
			assert_memory_equal(&found, &all, sizeof(all));
			njumps += all.n;
		}
	assert_true(njumps > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
