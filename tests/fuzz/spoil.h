/* SPDX-License-Identifier: MIT */
/*
 * A state block that somebody hostile wrote into: what the machine left of an image
 * with everything, then words stored anywhere after the first page, as an input says, and
 * links that go round.
 */
#ifndef TESTS_FUZZ_SPOIL_H
#define TESTS_FUZZ_SPOIL_H

#include "tests/fuzz/fuzz.h"

#include "tests/unit/support/vm_everything.h"
#include "vm/block/layout.h"

#define PAGE 4096u

/* These bits of kind_and_area: no word is stored, links become a circle. */
#define CHANGE_CIRCLE (7u << 20)

struct change {
	uint32_t at;
	uint32_t kind_and_area; /* low 16 bits: where at counts from */
	uint64_t value;
};

/* The block, and a copy of it as the machine left it. */
struct spoilt {
	struct rig *rig;
	unsigned char *good;
};

struct spoilt spoilt_new(void);

void spoil(struct spoilt *b, const uint8_t *data, size_t n);

#endif
