/* SPDX-License-Identifier: MIT */
/*
 * Chained jumps: which sites take them, what they take over of the next function, which
 * bytes are written, where they may lead to, and what is left when they lead nowhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "hook/trampoline.h"
#include "tests/unit/support/hook_code.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

/* je 4; je 5: so that something arrives at 4 and at 5, which ends the function */
#define BOTH  "74 02 74 01 "
#define ONE   "74 02 74 00 "		       /* only at 4 */
#define NEXT  "55 48 89 e5 53 31 c0 5b 5d c3 " /* a function of ten bytes */
#define WANTS 8

/* A function [0, size) and the next one, [next, next + 10); next 0: there is none. */
struct chain_case {
	const char *what, *text;
	unsigned size, next;
	int wants[WANTS]; /* -1 ends them; negative: it needs a breakpoint */
	unsigned nown;
	const char *heads; /* of the chain; NULL: breakpoint */
	unsigned covered, ninsns, padding, nsites;
	unsigned arrival, changed; /* not 0: there */
};

#define END -100

static const struct chain_case cases[] = {
	{"a ret before a function",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, END},
	 1,
	 "\0\1",
	 6,
	 4,
	 0,
	 1,
	 0,
	 0},
	{"and its entry",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, 5, END},
	 1,
	 "\0\1",
	 6,
	 4,
	 0,
	 2,
	 0,
	 0},
	{"and a site further on",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, 5, 14, END},
	 1,
	 "\0\1",
	 6,
	 4,
	 0,
	 2,
	 0,
	 0},
	{"and a site inside",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, 5, 6, 9, END},
	 1,
	 "\0\1",
	 6,
	 4,
	 0,
	 4,
	 0,
	 0},
	{"its entry needs a breakpoint",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, -5, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 0},
	{"two bytes before it",
	 BOTH "5b c3 " NEXT,
	 6,
	 6,
	 {4, 6, END},
	 1,
	 "\0\1\2",
	 7,
	 5,
	 0,
	 2,
	 0,
	 0},
	{"padding before it",
	 ONE "c3 66 90 " NEXT,
	 5,
	 7,
	 {4, 7, END},
	 1,
	 "\0\3",
	 8,
	 5,
	 0,
	 2,
	 0,
	 0},
	{"three bytes of padding",
	 ONE "c3 0f 1f 00 " NEXT,
	 5,
	 8,
	 {4, 8, END},
	 1,
	 "\0\4",
	 9,
	 5,
	 0,
	 2,
	 0,
	 0},
	{"int3 before it",
	 ONE "c3 cc " NEXT,
	 5,
	 6,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 0},
	{"something arrives in the padding",
	 ONE "c3 66 90 " NEXT,
	 5,
	 7,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 6,
	 0},
	{"nobody knows what is behind",
	 BOTH "c3 " NEXT,
	 5,
	 0,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 0},
	{"something arrives in it, at an instruction",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, 5, END},
	 1,
	 "\0\1\2",
	 8,
	 5,
	 0,
	 2,
	 6,
	 0},
	{"something arrives amid an instruction",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 7,
	 0},
	{"its first bytes differ in memory",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 6},
	{"a later byte differs",
	 BOTH "c3 " NEXT,
	 5,
	 5,
	 {4, END},
	 1,
	 "\0\1",
	 6,
	 4,
	 0,
	 1,
	 0,
	 10},
	{"a system call comes first in it",
	 BOTH "c3 0f 05 48 89 e5 53 31 c0 c3 90",
	 5,
	 5,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 0},
	{"a lone nop comes first in it",
	 BOTH "c3 90 48 89 e5 53 31 c0 c3 90 90",
	 5,
	 5,
	 {4, END},
	 1,
	 NULL,
	 0,
	 0,
	 0,
	 0,
	 0,
	 0},
	{"short functions up to a longer one",
	 "31 c0 c3 31 c0 c3 55 48 89 e5 53 31 c0 c3",
	 3,
	 3,
	 {0, 2, 3, 5, 6, END},
	 2,
	 "\0\3\6",
	 11,
	 7,
	 0,
	 5,
	 6,
	 0},
	{"as many sites as a stub serves",
	 ONE "c3 90 90 f8 f9 f8 f9 f8 c3",
	 5,
	 7,
	 {4, 7, 8, 9, 10, 11, END},
	 1,
	 "\0\3",
	 8,
	 8,
	 0,
	 6,
	 0,
	 0},
	/* then the second instruction has one, of six */
	{"one more",
	 "74 00 5b c3 f8 f9 f8 f9 f8 c3",
	 4,
	 4,
	 {2, 3, 4, 5, 6, 7, 8, END},
	 2,
	 "\0\1",
	 6,
	 6,
	 0,
	 6,
	 0,
	 0},
	{"a call, to which its callee returns",
	 "74 02 74 00 ff d0 " NEXT,
	 6,
	 6,
	 {4, END},
	 1,
	 "\0\2",
	 7,
	 4,
	 0,
	 1,
	 0,
	 0},
	{"within one function",
	 "74 03 74 00 c3 48 8b 4c 16 bf 48 89 c8 c3 55",
	 14,
	 0,
	 {4, 13, END},
	 2,
	 "\0\1",
	 10,
	 4,
	 0,
	 2,
	 0,
	 0},
};

static struct code c;
static struct addr_range functions[2];
static unsigned changed;

static int read_memory(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	(void)ctx;
	memcpy(buf, c.bytes + (at.v - CODE_AT), n);
	if (changed && at.v <= CODE_AT + changed && CODE_AT + changed < at.v + n)
		buf[CODE_AT + changed - at.v] ^= 0xff;
	return 0;
}

static struct {
	struct hook_plan plan;
	size_t n;
} got[WANTS];
static size_t ngot;

static void collect(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	(void)ctx;
	(void)first;
	assert_true(ngot < ARRAY_LEN(got));
	got[ngot].plan = *plan;
	got[ngot++].n = n;
}

static size_t fill_wants(const struct chain_case *k, struct hook_probe_point *wants)
{
	size_t n = 0;

	for (; k->wants[n] != END; n++) {
		int at = k->wants[n];

		wants[n] = (struct hook_probe_point){
			.pc = taddr_of(CODE_AT + (uint64_t)(at < 0 ? -at : at)),
			.is_before = true,
			.no_jump = at < 0};
	}
	return n;
}

static void plan_case(const struct chain_case *k, struct hook_islands *islands)
{
	struct hook_probe_point wants[WANTS];
	taddr arrival = taddr_of(CODE_AT + k->arrival);
	struct hook_function f = {.lo = taddr_of(CODE_AT),
				  .hi = taddr_of(CODE_AT + k->size),
				  .islands = islands,
				  .wants = wants,
				  .nwants = k->nown,
				  .nafter = fill_wants(k, wants) - k->nown,
				  .read = read_memory,
				  .plan = collect};

	code_set(&c, k->text, k->size);
	functions[0] = c.function;
	functions[1] = (struct addr_range){taddr_of(CODE_AT + k->next),
					   taddr_of(CODE_AT + k->next + 10)};
	c.module.functions = c.module.unwound = functions;
	c.module.nfunctions = c.module.nunwound = k->next ? 2 : 1;
	c.module.pointers = &arrival;
	c.module.npointers = k->arrival != 0;
	changed = k->changed;
	ngot = 0;
	c.branches = hook_branches_new(&c.module);
	hook_plan_function(&c.module, c.branches, &f);
	hook_branches_free(c.branches);
	changed = 0;
}

/* The plan of the case's first chain; NULL: there is none. */
static const struct hook_plan *find_chain(void)
{
	for (size_t i = 0; i < ngot; i++)
		if (got[i].plan.tactic == HOOK_JMP_CHAIN)
			return &got[i].plan;
	return NULL;
}

static void check_case(const struct chain_case *k)
{
	const struct hook_plan *p = find_chain();
	uint32_t nheads = 1;

	if (!p != !k->heads)
		fail_msg("%s: tactic %d: %s", k->what, (int)got[0].plan.tactic,
			 hook_reason_text(got[0].plan.reason));
	if (!p)
		return;
	while (nheads < HOOK_HEADS_MAX && k->heads[nheads])
		nheads++;
	if (p->nheads != nheads || memcmp(p->heads, k->heads, nheads) != 0 ||
	    p->covered != k->covered || p->ninsns != k->ninsns ||
	    p->padding != k->padding || p->nsites != k->nsites)
		fail_msg("%s: %u heads (%u %u), %u bytes, %u insns, %u padding, %u "
			 "sites",
			 k->what, p->nheads, p->heads[1], p->heads[2], p->covered,
			 p->ninsns, p->padding, p->nsites);
	assert_true(hook_chain_is_sound(p));
	assert_int_equal(hook_plan_patched(p), p->heads[nheads - 1] + HOOK_JUMP);
	assert_memory_equal(p->original, c.bytes + (p->patch.v - CODE_AT), p->covered);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct hook_islands *islands = hook_islands_new();

		plan_case(&cases[i], islands);
		check_case(&cases[i]);
		hook_islands_free(islands);
	}
}

/* What the end of one function holds is no place for the next one's jumps. */
static void test_floor(void **state)
{
	struct hook_islands *islands = hook_islands_new();
	const struct hook_probe_point inside = {.pc = taddr_of(CODE_AT + 10),
						.is_before = true};
	struct hook_function f = {.lo = taddr_of(CODE_AT + 5),
				  .hi = taddr_of(CODE_AT + 15),
				  .islands = islands,
				  .wants = &inside,
				  .nwants = 1,
				  .floor = taddr_of(CODE_AT + 10),
				  .read = read_memory,
				  .plan = collect};

	(void)state;
	plan_case(&cases[0], islands);
	assert_int_equal(got[0].plan.covered, 6);
	ngot = 0;
	c.branches = hook_branches_new(&c.module);
	hook_plan_function(&c.module, c.branches, &f);
	hook_branches_free(c.branches);
	assert_int_equal(ngot, 1);
	assert_int_equal(got[0].plan.tactic, HOOK_JMP);
	assert_true(got[0].plan.patch.v >= CODE_AT + 10);
	hook_islands_free(islands);
}

/* ---- the choice ---- */

struct room {
	uint64_t lo, hi; /* where pages may be mapped */
	uint64_t used;	 /* address of five bytes that are in use; 0: none */
	uint64_t pages[4];
	size_t npages;
	unsigned asked;
};

static enum hook_place place_at(void *ctx, taddr at)
{
	struct room *r = ctx;

	r->asked++;
	if (r->used && at.v < r->used + HOOK_JUMP && r->used < at.v + HOOK_JUMP)
		return HOOK_PLACE_NONE;
	for (size_t i = 0; i < r->npages; i++)
		if (align_down(at.v, 4096) == r->pages[i])
			return HOOK_PLACE_MAPPED;
	return at.v >= r->lo && at.v + HOOK_JUMP <= r->hi ? HOOK_PLACE_NEW
							  : HOOK_PLACE_NONE;
}

static bool choose(const struct hook_plan *p, struct room *r, uint8_t *bytes)
{
	const struct hook_places places = {r->pages, r->npages, place_at, r};

	return hook_chain_choose(p, &places, bytes);
}

static bool is_in(const struct room *r, taddr at)
{
	for (size_t i = 0; i < r->npages; i++)
		if (align_down(at.v, 4096) == r->pages[i])
			return true;
	return at.v >= r->lo && at.v + HOOK_JUMP <= r->hi;
}

/*
 * Each head, read as the processor reads it, is a jump to where the choice says, in the
 * room, and no two lead to the same bytes.
 */
static void check_choice(const struct hook_plan *p, const struct room *r,
			 const uint8_t *bytes)
{
	for (uint32_t i = 0; i < p->nheads; i++) {
		taddr landing = hook_chain_landing(p, bytes, i);
		struct insn in;

		assert_int_equal(decode(bytes + p->heads[i],
					hook_plan_patched(p) - p->heads[i],
					taddr_add(p->patch, p->heads[i]), &in),
				 0);
		assert_int_equal(in.kind, INSN_JMP);
		assert_int_equal(in.target.v, landing.v);
		assert_true(is_in(r, landing));
		for (uint32_t k = 0; k < i; k++) {
			uint64_t other = hook_chain_landing(p, bytes, k).v;

			assert_true(other >= landing.v + HOOK_JUMP ||
				    landing.v >= other + HOOK_JUMP);
		}
	}
}

/* How many chains of n heads, of all steps from one to the next, lead into the room. */
static unsigned count_choices(uint8_t n, const struct room *room)
{
	uint8_t bytes[HOOK_PATCH_MAX];
	unsigned count = 0;

	for (unsigned steps = 0; steps < 1U << 2 * (n - 1); steps++) {
		struct hook_plan p = {.tactic = HOOK_JMP_CHAIN,
				      .patch = taddr_of(CODE_AT),
				      .nheads = n,
				      .covered = 32};
		struct room r = *room;

		for (uint32_t i = 1; i < n; i++)
			p.heads[i] = (uint8_t)(p.heads[i - 1] + 1 +
					       (steps >> 2 * (i - 1) & 3));
		assert_true(hook_chain_is_sound(&p));
		if (choose(&p, &r, bytes)) {
			check_choice(&p, &r, bytes);
			count++;
		}
		assert_true(r.asked < 20000);
	}
	return count;
}

/* The rest would have an opcode as the last byte of a displacement: it leads below 0. */
static void test_choices(void **state)
{
	static const struct room anywhere = {.lo = 0x10000, .hi = 0x7fff0000},
				 narrow = {.lo = 0x60000000, .hi = 0x70000000},
				 page = {.lo = 0x7f000000,
					 .hi = 0x7fff0000,
					 .pages = {0x50001000},
					 .npages = 1};

	(void)state;
	assert_int_equal(count_choices(2, &anywhere), 4);
	assert_int_equal(count_choices(3, &anywhere), 15);
	assert_int_equal(count_choices(4, &anywhere), 53);
	assert_int_equal(count_choices(2, &narrow), 4);
	assert_int_equal(count_choices(4, &narrow), 51);
	assert_int_equal(count_choices(2, &page), 4);
}

/* Mapped pages are used before others, and never bytes that are in use. */
static void test_mapped_first(void **state)
{
	struct hook_islands *islands = hook_islands_new();
	struct room r = {.lo = 0x10000,
			 .hi = 0x7fff0000,
			 .pages = {0x40000000, 0x50000000},
			 .npages = 2};
	uint8_t bytes[HOOK_PATCH_MAX];
	struct hook_plan p;
	uint64_t first;

	(void)state;
	plan_case(&cases[0], islands);
	p = got[0].plan;
	assert_true(choose(&p, &r, bytes));
	check_choice(&p, &r, bytes);
	first = hook_chain_landing(&p, bytes, 0).v;
	assert_int_equal(align_down(first, 4096), 0x50000000);
	r.used = first;
	assert_true(choose(&p, &r, bytes));
	check_choice(&p, &r, bytes);
	assert_true(hook_chain_landing(&p, bytes, 0).v >= first + HOOK_JUMP);
	r = (struct room){.lo = 1, .hi = 0};
	assert_false(choose(&p, &r, bytes));
	assert_true(r.asked < 20000);
	hook_islands_free(islands);
}

static int build(const struct hook_plan *p, const uint8_t *chain, struct stub *stub)
{
	const struct stub_request req = {.plan = p,
					 .chain = chain,
					 .gate = {8, 16},
					 .site = 7,
					 .stub = taddr_of(CODE_AT + 0x100000),
					 .switch_word = taddr_of(CODE_AT + 0xff000)};

	return stub_build(&req, stub);
}

static void check_bytes(const char *text, const uint8_t *bytes)
{
	uint8_t want[64];
	size_t n = hex_bytes(text, want, sizeof(want));

	assert_memory_equal(bytes, want, n);
}

/* ret, then the next function's push, mov and push: its entry is a site too. */
static void test_stub(void **state)
{
	struct hook_islands *islands = hook_islands_new();
	uint8_t chain[HOOK_PATCH_MAX] = {0xe9, 0xe9, 0x93, 0x93, 0, 0x80};
	struct hook_plan p;
	struct stub stub;

	(void)state;
	plan_case(&cases[1], islands);
	p = got[0].plan;
	assert_int_equal(got[0].n, 2);
	assert_int_equal(build(&p, chain, &stub), STATUS_RANGE); /* from down there */
	chain[4] = 0x3f;
	chain[5] = 0x33;
	assert_int_equal(build(&p, chain, &stub), 0);
	check_bytes("e9 e9 93 93 3f 33", stub.patch);
	assert_int_equal(stub.heads[0], 0);
	assert_int_equal(stub.heads[1], STUB_EPILOGUE + 1); /* behind the ret */
	assert_int_equal(stub.prologues[1], stub.heads[1]);
	check_bytes("c3", stub.bytes + STUB_EPILOGUE);
	check_bytes("55 48 89 e5 53 e9", stub.bytes + stub.heads[1] + STUB_EPILOGUE);
	/* to CODE_AT + 0x100000, from 0x3f9393e9 and from 0x333f9393 after the heads */
	assert_int_equal(hook_chain_landing(&p, chain, 0).v, CODE_AT + 9 + 0x3f9393e9);
	assert_int_equal(hook_chain_landing(&p, chain, 1).v, CODE_AT + 10 + 0x333f9393);
	check_bytes("e9 09 6c 7c c0", stub.island);
	check_bytes("e9 7b 6c d0 cc", stub.island + HOOK_JUMP);
	/* a thread in what is overwritten goes on in the stub */
	assert_int_equal(stub_offset_of(&stub, &p, taddr_of(CODE_AT + 6)),
			 stub.heads[1] + STUB_EPILOGUE + 1);
	assert_int_equal(stub_offset_of(&stub, &p, taddr_of(CODE_AT + 7)), -1);
	chain[1] = 0xe8;
	assert_int_equal(build(&p, chain, &stub), STATUS_INVAL);
	assert_int_equal(build(&p, NULL, &stub), STATUS_INVAL);
	chain[1] = 0xe9;
	p.heads[1] = 2;
	assert_int_equal(build(&p, chain, &stub), STATUS_INVAL);
	hook_islands_free(islands);
}

/* Without pages, what had room for a jump keeps one. */
static void test_tail(void **state)
{
	struct hook_islands *islands = hook_islands_new();
	struct hook_plan tail;
	struct stub stub;

	(void)state;
	plan_case(&cases[3], islands);
	assert_true(hook_chain_tail(&got[0].plan, &tail));
	assert_int_equal(tail.tactic, HOOK_JMP);
	assert_int_equal(tail.site.v, CODE_AT + 5);
	assert_int_equal(tail.patch.v, CODE_AT + 5);
	assert_int_equal(tail.covered, 5);
	assert_int_equal(tail.ninsns, 3);
	assert_int_equal(tail.nsites, 3);
	assert_int_equal(tail.sites[2].at, 4);
	assert_int_equal(build(&tail, NULL, &stub), 0);
	plan_case(&cases[0], islands);
	assert_false(hook_chain_tail(&got[0].plan, &tail));
	hook_islands_free(islands);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),	cmocka_unit_test(test_floor),
		cmocka_unit_test(test_choices), cmocka_unit_test(test_mapped_first),
		cmocka_unit_test(test_stub),	cmocka_unit_test(test_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
