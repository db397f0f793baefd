/* SPDX-License-Identifier: MIT */
/*
 * Switch tables, on random bodies: what a reader finds that tries every loaded address with
 * every label, one after the other. And how long reading takes where there are
 * thousands of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "disasm/disasm.h"
#include "hook/branches.h"
#include "hook/sweep.h"
#include "hook/target.h"
#include "vm/base/bytes.h"

#define CODE   UINT64_C(0x401000)
#define DATA   UINT64_C(0x4a0000)
#define BODY   400 /* bytes, of random ones */
#define TABLES 512
#define LISTS  64

struct program {
	uint8_t *bytes, *tables;
	size_t n, ntables;
	struct hook_bytes code, data;
	struct addr_range function;
	struct hook_module m;
	unsigned seed;
};

static unsigned draw(struct program *p, unsigned n)
{
	p->seed = p->seed * 1103515245 + 12345;
	return (p->seed >> 8) % n;
}

static void set_module(struct program *p)
{
	p->code = (struct hook_bytes){taddr_of(CODE), p->bytes, p->n, false, 0, 0};
	p->data =
		(struct hook_bytes){taddr_of(DATA), p->tables, p->ntables, false, 0, 0};
	p->function = (struct addr_range){taddr_of(CODE), taddr_of(CODE + p->n)};
	p->m = (struct hook_module){.code = &p->code,
				    .ncode = 1,
				    .data = &p->data,
				    .ndata = 1,
				    .functions = &p->function,
				    .nfunctions = 1};
}

static size_t put(struct program *p, size_t at, const char *bytes, size_t n)
{
	memcpy(p->bytes + at, bytes, n);
	return at + n;
}

static size_t put_lea(struct program *p, size_t at, uint64_t to)
{
	const uint32_t distance = (uint32_t)(to - (CODE + at + 7));

	at = put(p, at, "\x48\x8d\x15", 3); /* lea to(%rip), %rdx */
	memcpy(p->bytes + at, &distance, 4);
	return at + 4;
}

static size_t put_jump(struct program *p, size_t at)
{
	/* movslq (%rdx,%rdi,4), %rax; add %rdx, %rax; jmp *%rax */
	return put(p, at, "\x48\x63\x04\xba\x48\x01\xd0\xff\xe0", 9);
}

static void make_random(struct program *p, unsigned seed)
{
	static const char *const insns[] = {"\x90",
					    "\x48\x01\xd0",
					    "\x31\xc0",
					    "\x50",
					    "\x48\xc7\xc0\x07\x07\x07\x07",
					    "\xc3"};
	size_t at = 0;

	p->seed = seed * 7919 + 1;
	p->n = BODY;
	p->ntables = TABLES;
	while (at + 32 < BODY) {
		const char *insn = insns[draw(p, 6)];

		switch (draw(p, 8)) {
		case 0:
			at = put_lea(p, at, DATA + draw(p, TABLES / 4) * 4);
			break;
		case 1:
			at = put_lea(p, at, CODE + draw(p, BODY));
			break;
		case 2:
			at = put_jump(p, at);
			break;
		default:
			at = put(p, at, insn, strlen(insn));
		}
	}
	memset(p->bytes + at, 0x90, BODY - at);
	for (size_t i = 0; i < TABLES; i += 4) {
		uint64_t base = draw(p, 2) ? DATA + draw(p, TABLES / 4) * 4
					   : CODE + draw(p, BODY);
		uint64_t to = draw(p, 12) ? CODE + draw(p, BODY) : DATA;

		bytes_store(p->tables + i, to - base, 4);
	}
	set_module(p);
}

/* ---- one after the other ---- */

struct judge {
	const struct program *p;
	uint64_t loaded[LISTS], labels[LISTS];
	size_t nloaded, nlabels;
	bool insns[BODY], marks[BODY];	    /* tables lead there */
	const struct hook_branches *direct; /* all but tables */
};

static bool is_in_body(const struct judge *j, uint64_t pc)
{
	return pc >= CODE && pc < CODE + j->p->n;
}

static bool is_insn(const struct judge *j, uint64_t pc)
{
	return is_in_body(j, pc) && j->insns[pc - CODE];
}

static bool is_reached(const struct judge *j, uint64_t pc)
{
	return j->marks[pc - CODE] || branches_is_marked(j->direct, pc);
}

static bool read_insn(const struct judge *j, uint64_t pc, struct insn *in)
{
	return decode_quick(j->p->bytes + (pc - CODE), j->p->n - (pc - CODE),
			    taddr_of(pc), in) == 0;
}

static uint64_t insn_before(const struct judge *j, uint64_t pc)
{
	do
		pc--;
	while (pc >= CODE && !j->insns[pc - CODE]);
	return pc;
}

/* Control comes to the instruction that pc is inside of, by running on. */
static bool is_inside(const struct judge *j, uint64_t pc)
{
	uint64_t at = insn_before(j, pc), before;
	struct insn in;

	if (!read_insn(j, at, &in) || at + in.len <= pc)
		return false;
	while (!is_reached(j, at)) {
		if (at == CODE)
			return false;
		before = insn_before(j, at);
		if (!read_insn(j, before, &in) || before + in.len != at ||
		    !insn_falls_through(&in))
			return false;
		at = before;
	}
	return true;
}

static uint64_t next_loaded(const struct judge *j, uint64_t table)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < j->nloaded; i++)
		if (j->loaded[i] > table && j->loaded[i] < next)
			next = j->loaded[i];
	return next;
}

static void judge_table(struct judge *j, const struct hook_bytes *part, uint64_t table,
			uint64_t base)
{
	uint64_t other = 0, next = next_loaded(j, table);

	for (uint64_t at = table; at + 4 <= part->lo.v + part->n; at += 4) {
		const uint8_t *p = part->data + (at - part->lo.v);
		int64_t distance = (int32_t)bytes_load(p, 4);
		uint64_t to = base + (uint64_t)distance;

		if (to == table && at < table + 16)
			continue;
		if (!is_in_body(j, to))
			return; /* all code is the body */
		if (at >= next) {
			other = next;
			next = next_loaded(j, at);
		}
		if (other && !is_insn(j, to) && is_insn(j, other + (uint64_t)distance))
			return;
		if (is_insn(j, to) || !is_inside(j, to))
			j->marks[to - CODE] = true;
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void read_body(struct judge *j)
{
	struct insn_brief in;

	for (uint64_t pc = CODE; pc < CODE + j->p->n;) {
		const uint8_t *p = j->p->bytes + (pc - CODE);

		if (decode_brief(p, j->p->n - (pc - CODE), taddr_of(pc), &in) != 0) {
			pc++;
			continue;
		}
		j->insns[pc - CODE] = true;
		if (in.is_lea)
			j->loaded[j->nloaded++] = in.target.v;
		if (in.is_lea && is_in_body(j, in.target.v))
			j->labels[j->nlabels++] = in.target.v;
		pc += in.len;
	}
	qsort(j->loaded, j->nloaded, sizeof(*j->loaded), compare);
	qsort(j->labels, j->nlabels, sizeof(*j->labels), compare);
}

static void judge_tables(struct judge *j)
{
	for (size_t i = 0; i < j->nloaded; i++) {
		uint64_t table = j->loaded[i];
		const struct hook_bytes *part =
			is_in_body(j, table) ? &j->p->code : &j->p->data;

		judge_table(j, part, table, table);
		for (size_t k = 0; k < j->nlabels; k++)
			judge_table(j, part, table, j->labels[k]);
	}
}

/* The same module without tables that lead anywhere. */
static struct hook_branches *read_without_tables(const struct program *p)
{
	struct hook_module m = p->m;
	struct hook_branches *b;

	m.ndata = 0;
	b = hook_branches_new(&m);
	return b;
}

static void check_random(struct program *p)
{
	struct judge j = {.p = p, .direct = read_without_tables(p)};
	struct hook_branches *b = hook_branches_new(&p->m);

	read_body(&j);
	if (!branches_is_computed(b, taddr_of(CODE)) &&
	    !branches_is_computed(j.direct, taddr_of(CODE))) {
		judge_tables(&j);
		for (uint64_t pc = CODE; pc < CODE + p->n; pc++)
			if (hook_branches_has(b, taddr_of(pc)) != is_reached(&j, pc))
				fail_msg("%llx: %d", (unsigned long long)pc,
					 is_reached(&j, pc));
		p->m.ncode++; /* it has been compared */
	}
	hook_branches_free(b);
	hook_branches_free((struct hook_branches *)j.direct);
}

static void test_random(void **state)
{
	uint8_t bytes[BODY], tables[TABLES];
	struct program p = {.bytes = bytes, .tables = tables};
	size_t compared = 0;

	(void)state;
	for (unsigned seed = 0; seed < 3000; seed++) {
		make_random(&p, seed);
		check_random(&p);
		compared += p.m.ncode - 1;
	}
	assert_true(compared > 300);
}

/* ---- thousands of both ---- */

/* A dispatch: n tables of n distances each, and n labels, which are loaded as well. */
static void make_dispatch(struct program *p, size_t n)
{
	size_t at = 0, labels;

	p->n = 16 * n + 64;
	p->ntables = 4 * n * n;
	p->bytes = malloc(p->n);
	p->tables = malloc(p->ntables);
	assert_non_null(p->bytes);
	assert_non_null(p->tables);
	labels = 14 * n + 9;
	for (size_t i = 0; i < n; i++) {
		at = put_lea(p, at, DATA + 4 * n * i);
		at = put_lea(p, at, CODE + labels + 2 * i);
	}
	at = put_jump(p, at);
	assert_int_equal(at, labels);
	while (at + 2 <= p->n)
		at = put(p, at, "\x31\xc0", 2);
	for (size_t i = 0; i < n * n; i++)
		bytes_store(p->tables + 4 * i,
			    CODE + labels + i * 7 % (2 * n) - (DATA + 4 * n * (i / n)),
			    4);
	set_module(p);
}

static uint64_t steps_of(struct program *p, size_t n)
{
	struct hook_branches *b;
	uint64_t steps;

	make_dispatch(p, n);
	b = hook_branches_new(&p->m);
	steps = b->steps;
	hook_branches_free(b);
	free(p->bytes);
	free(p->tables);
	return steps;
}

/* Twice the code takes twice the steps at most, and those that all share. */
static void test_work(void **state)
{
	struct program p = {.seed = 1};
	uint64_t before = 0;

	(void)state;
	for (size_t n = 64; n <= 1024; n *= 2) {
		uint64_t steps = steps_of(&p, n);

		if (steps > p.n + (UINT64_C(1) << 20) + 1024)
			fail_msg("%zu of both: %llu steps", n,
				 (unsigned long long)steps);
		assert_true(steps >= before);
		before = steps;
	}
}

/* Past its steps something may arrive at each byte of the body, and nowhere else. */
static void test_too_many(void **state)
{
	struct program p = {.seed = 1};
	struct addr_range functions[2];
	struct hook_branches *b;

	(void)state;
	make_dispatch(&p, 1024);
	functions[0] = p.function;
	functions[0].hi = taddr_add(p.function.hi, -32);
	functions[1] = (struct addr_range){functions[0].hi, p.function.hi};
	p.m.functions = functions;
	p.m.nfunctions = 2;
	b = hook_branches_new(&p.m);
	for (taddr pc = functions[0].lo; pc.v < functions[0].hi.v; pc.v++)
		assert_true(hook_branches_has(b, pc));
	assert_false(branches_is_computed(b, functions[1].lo));
	for (taddr pc = taddr_add(functions[1].lo, 1); pc.v < p.function.hi.v; pc.v++)
		assert_false(hook_branches_has(b, pc));
	hook_branches_free(b);
	free(p.bytes);
	free(p.tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
