/* SPDX-License-Identifier: MIT */
/* A module of one code segment, written as hex, with one function at its start. */
#ifndef TESTS_UNIT_HOOK_CODE_H
#define TESTS_UNIT_HOOK_CODE_H

#include <string.h>

#include "hook/hook.h"
#include "hook/target.h"
#include "tests/unit/hex.h"

#define CODE_AT UINT64_C(0x401000)

struct code {
	uint8_t bytes[512];
	struct hook_bytes part;
	struct hook_range function;
	struct hook_module module;
	struct hook_branches *branches;
	struct hook_entry entry;
	struct hook_plan plan;
};

static inline void code_set(struct code *c, const char *text, size_t size)
{
	memset(c, 0, sizeof(*c));
	c->part.lo = taddr_of(CODE_AT);
	c->part.data = c->bytes;
	c->part.n = hex_bytes(text, c->bytes, sizeof(c->bytes));
	c->function.lo = taddr_of(CODE_AT);
	c->function.hi = taddr_of(CODE_AT + size);
	c->module.code = &c->part;
	c->module.ncode = 1;
	c->module.functions = &c->function;
	c->module.nfunctions = 1;
	c->module.unwound = &c->function;
	c->module.nunwound = 1;
	c->entry.lo = c->function.lo;
	c->entry.hi = c->function.hi;
}

static inline void code_plan(struct code *c)
{
	c->branches = hook_branches_new(&c->module);
	hook_plan_entry(&c->module, c->branches, &c->entry, &c->plan);
	hook_branches_free(c->branches);
	c->branches = NULL;
}

#endif
