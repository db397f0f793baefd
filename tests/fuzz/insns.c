/* SPDX-License-Identifier: MIT */
/*
 * Readers of instructions, at every byte of the input: decode_brief() says what
 * decode_quick() says, and decode_quick() what decode() says of what that accepts.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "disasm/disasm.h"
#include "tests/unit/support/brief.h"

#define AT 0x401000
#define READ_MAX                                                                       \
	4096 /* bytes of one input; decode() takes half a microsecond for each */

void fuzz_one(const uint8_t *data, size_t n)
{
	struct insn whole, quick;

	n = n < READ_MAX ? n : READ_MAX;
	for (size_t at = 0; at < n; at++) {
		assert(brief_agrees(data + at, n - at));
		if (decode(data + at, n - at, taddr_of(AT), &whole) != 0)
			continue;
		assert(decode_quick(data + at, n - at, taddr_of(AT), &quick) == 0);
		assert(memcmp(&whole, &quick, sizeof(whole)) == 0);
	}
}
