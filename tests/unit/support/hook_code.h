/* SPDX-License-Identifier: MIT */
/* A module of one code segment, written as hex, with one function at its start. */
#ifndef TESTS_UNIT_SUPPORT_HOOK_CODE_H
#define TESTS_UNIT_SUPPORT_HOOK_CODE_H

#include <string.h>

#include "hook/hook.h"
#include "hook/target.h"
#include "tests/unit/support/hex.h"

#define CODE_AT UINT64_C(0x401000)

struct code {
	uint8_t bytes[512];
	struct hook_bytes part;
	struct addr_range function;
	struct hook_module module;
	struct hook_branches *branches;
	struct hook_entry entry;
	struct hook_plan plan;
};

void code_set(struct code *c, const char *text, size_t size);

void code_plan(struct code *c);

#endif
