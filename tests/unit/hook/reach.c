/* SPDX-License-Identifier: MIT */
/*
 * What leads to a few functions: nothing is missed that the search of all code finds,
 * whatever the code is, and elsewhere nothing counts as known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "hook/branches.h"
#include "hook/target.h"
#include "vm/base/bytes.h"

#define LOW	 UINT64_C(0x401000)
#define HIGH	 UINT64_C(0x140001000)
#define CODE_MAX 8192
#define FUNCTION 64 /* bytes, on average */
#define PARTS	 3

struct program {
	uint8_t bytes[CODE_MAX], data[256];
	struct hook_bytes code[2], rodata;
	struct addr_range functions[CODE_MAX / FUNCTION];
	struct hook_module m;
	unsigned seed;
};

static unsigned draw(struct program *p, unsigned n)
{
	p->seed = p->seed * 1103515245 + 12345;
	return (p->seed >> 8) % n;
}

static uint64_t any_address(struct program *p)
{
	const struct hook_bytes *part = &p->code[draw(p, (unsigned)p->m.ncode)];

	return part->lo.v + draw(p, (unsigned)part->n);
}

/* Puts a distance to some address, or the address, so that it ends n bytes further on. */
static void put_four(struct program *p, uint8_t *at, uint64_t address, unsigned n)
{
	const uint64_t to = any_address(p);
	const uint32_t v = (uint32_t)(n ? to - address - n : to);

	memcpy(at, &v, sizeof(v));
}

/* Instructions whose last bytes are one of these: opcode, and what follows the four. */
static const struct form {
	uint8_t bytes[4];
	unsigned n, after;
	bool is_address;
} forms[] = {
	{{0xe8}, 1, 0, false},			 /* call */
	{{0xe9}, 1, 0, false},			 /* jmp */
	{{0x0f, 0x84}, 2, 0, false},		 /* je */
	{{0xc7, 0xf8}, 2, 0, false},		 /* xbegin */
	{{0x48, 0x8d, 0x05}, 3, 0, false},	 /* lea x(%rip), %rax */
	{{0x4c, 0x8d, 0x35}, 3, 0, false},	 /* lea x(%rip), %r14 */
	{{0x48, 0x8b, 0x0d}, 3, 0, false},	 /* mov x(%rip), %rcx */
	{{0x80, 0x3d}, 2, 1, false},		 /* cmpb $i, x(%rip) */
	{{0x48, 0x81, 0x3d}, 3, 4, false},	 /* cmpq $i, x(%rip) */
	{{0xc5, 0xfd, 0x6f, 0x05}, 4, 0, false}, /* vmovdqa x(%rip), %ymm0 */
	{{0xb8}, 1, 0, true},			 /* mov $x, %eax */
	{{0x68}, 1, 0, true},			 /* push $x */
};

static const char *const plain[] = {
	"\x90",	    "\xc3",	"\x50",		"\x75\x10",
	"\xeb\xf0", "\xff\xe0", "\x48\x01\xd0", "\x48\x63\x04\xba",
	"\x31\xc0", "\xcc",	"\x0f\x0b",	"\x74\x80",
};

/* One instruction, or some bytes: how many. */
static unsigned put_insn(struct program *p, uint8_t *at, uint64_t address,
			 unsigned room)
{
	const struct form *form = &forms[draw(p, sizeof(forms) / sizeof(*forms))];
	const char *text = plain[draw(p, sizeof(plain) / sizeof(*plain))];
	unsigned n = form->n + 4 + form->after;

	if (draw(p, 16) == 0 || room < 16) {
		*at = (uint8_t)draw(p, 256);
		return 1;
	}
	if (draw(p, 3)) {
		memcpy(at, text, strlen(text));
		return (unsigned)strlen(text);
	}
	memset(at, 0, n);
	memcpy(at, form->bytes, form->n);
	put_four(p, at + form->n, address + form->n,
		 form->is_address ? 0 : 4 + form->after);
	return n;
}

static void put_functions(struct program *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->m.ncode; i++) {
		const struct hook_bytes *part = &p->code[i];
		uint64_t at = part->lo.v, end = part->lo.v + part->n;

		while (at + 3 * FUNCTION < end && n < CODE_MAX / FUNCTION) {
			uint64_t lo = at + draw(p, 3) * draw(p, 20);
			uint64_t hi = lo + 1 + draw(p, 2 * FUNCTION);

			if (draw(p, 8))
				p->functions[n++] =
					(struct addr_range){taddr_of(lo), taddr_of(hi)};
			at = hi - (draw(p, 10) ? 0 : draw(p, (unsigned)(hi - lo)));
		}
	}
	p->m.functions = p->m.unwound = p->functions;
	p->m.nfunctions = p->m.nunwound = n;
}

static void make_program(struct program *p, unsigned seed)
{
	uint64_t base;
	size_t half = CODE_MAX / 2;

	memset(p, 0, sizeof(*p));
	p->seed = seed * 7919 + 1;
	p->m.is_fixed = draw(p, 2);
	base = draw(p, 4) ? LOW : HIGH;
	p->code[0] = (struct hook_bytes){taddr_of(base), p->bytes, half, false, 0, 0};
	p->code[1] = (struct hook_bytes){
		taddr_of(base + 0x10000), p->bytes + half, half, false, 0, 0};
	p->rodata = (struct hook_bytes){
		taddr_of(base + 0x20000), p->data, sizeof(p->data), false, 0, 0};
	p->m.code = p->code;
	p->m.ncode = 2;
	p->m.data = &p->rodata;
	p->m.ndata = 1;
	for (size_t i = 0; i < CODE_MAX;) {
		const struct hook_bytes *part = &p->code[i >= half];

		i += put_insn(p, p->bytes + i, part->lo.v + i % half,
			      (unsigned)(half - i % half));
	}
	for (size_t i = 0; i < sizeof(p->data); i += 8)
		bytes_store(p->data + i, any_address(p) - (draw(p, 2) ? 0 : LOW), 8);
	put_functions(p);
}

/* Copies instead of the code itself, as if it were in no memory. */
static size_t read_code(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	const struct program *p = ctx;
	const uint8_t *from = NULL;
	size_t left = 0;

	for (size_t i = 0; i < p->m.ncode && !from; i++)
		from = hook_bytes_at(&p->code[i], at, &left);
	n = (size_t)min_u64(n, from ? left : 0);
	if (n)
		memcpy(buf, from, n);
	return n;
}

static void check_few(struct program *p, const struct hook_branches *all)
{
	struct addr_range parts[PARTS];
	struct hook_branches *few = hook_branches_begin(&p->m);
	size_t first = draw(p, (unsigned)(p->m.nfunctions - 20)), known = 0;

	for (size_t i = 0; i < PARTS; i++) {
		parts[i] = p->functions[first];
		first += 1 + draw(p, 6);
	}
	hook_branches_read_for(few, &p->m, parts, PARTS);
	assert_true(hook_branches_are_read(few));
	for (size_t i = 0; i < p->m.ncode; i++)
		for (size_t k = 0; k < p->code[i].n; k++) {
			taddr pc = taddr_add(p->code[i].lo, (int64_t)k);

			known += branches_are_known(few, pc);
			if (hook_branches_has(all, pc) && !hook_branches_has(few, pc))
				fail_msg("%llx is missed", (unsigned long long)pc.v);
			if (branches_is_computed(all, pc))
				assert_true(branches_is_computed(few, pc));
			if (!branches_are_known(few, pc))
				assert_true(hook_branches_has(few, pc));
		}
	for (size_t i = 0; i < PARTS; i++)
		assert_true(branches_are_known(few, parts[i].lo));
	/* code linked for one address above 4 GB is searched as a whole */
	assert_true(known < CODE_MAX || (p->m.is_fixed && p->code[0].lo.v == HIGH));
	hook_branches_free(few);
}

static void test_random(void **state)
{
	struct program *p = malloc(sizeof(*p));

	(void)state;
	assert_non_null(p);
	for (unsigned seed = 0; seed < 400; seed++) {
		struct hook_branches *all;

		make_program(p, seed);
		all = hook_branches_new(&p->m);
		check_few(p, all);
		if (seed % 2) {
			p->m.read_code = read_code;
			p->m.hold_ctx = p;
			check_few(p, all);
		}
		hook_branches_free(all);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
