/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/hook_code.h"

void code_set(struct code *c, const char *text, size_t size)
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

void code_plan(struct code *c)
{
	c->branches = hook_branches_new(&c->module);
	hook_plan_entry(&c->module, c->branches, &c->entry, &c->plan);
	hook_branches_free(c->branches);
	c->branches = NULL;
}
