/* SPDX-License-Identifier: MIT */
/*
 * Every subroutine of subr.def by a table: what it makes of good arguments, and,
 * from the prototypes, of bad addresses in each place that takes one.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_everything.h"
#include "vm/block/layout.h"

enum { ARGS_MAX = 6, SCRATCH = 64 };

struct arg {
	const char *text; /* NULL: the value */
	size_t n;
	uint64_t value;
};

#define T(s)	  ((struct arg){s, sizeof(s), 0})
#define N(v)	  ((struct arg){NULL, 0, (uint64_t)(v)})
#define IN(n)	  N(WORLD_BASE + (n))	   /* target memory */
#define OWN(n)	  N(VM_ADDR_SCRATCH + (n)) /* what alloca() gave before, 64 bytes */
#define NONE	  FAULT_NONE, 0
#define BAD(addr) FAULT_BADADDR, (uint64_t)(addr)

struct row {
	enum subr subr;
	struct arg args[ARGS_MAX];
	int32_t fault;
	uint64_t address;
	const char *text; /* of a result that is a string; NULL: NULL */
	uint64_t number;  /* of another */
};

struct outcome {
	int32_t fault;
	uint64_t address, number;
	bool has_text;
	char text[600];
	struct world world;
};

static bool is_text(enum subr subr)
{
	return strcmp(everything_subrs[subr].result, "string") == 0;
}

/* One clause: scratch memory is taken, then r3 = subr(r4 ...), and r3 traced. */
static void build_call(struct builder *b, const struct row *row)
{
	uint32_t n = 0;

	build_insn(b, I(LI, 1, 0, 0, SCRATCH));
	build_insn(b, I(CALL, 1, 1, 1, SUBR_alloca));
	for (; n < ARGS_MAX &&
	       (row->args[n].text || row->args[n].value != UINT64_MAX - 7);
	     n++) {
		const struct arg *a = &row->args[n];

		if (a->text) {
			uint32_t at = b->n[SECTION_STR];

			memcpy(b->str + at, a->text, a->n);
			b->n[SECTION_STR] += (uint32_t)a->n;
			build_insn(b, I(LS, 4 + n, 0, 0, at));
		} else {
			build_insn(b, I(LC, 4 + n, 0, 0, build_constant(b, a->value)));
		}
	}
	build_insn(b, I(CALL, 3, 4, n, row->subr));
	build_insn(b, I(TUP, 0, 0, 0, 0));
	build_insn(b, I(TPI, 3, 0, 8, 0));
	if (is_text(row->subr)) { /* NULL as an empty string */
		build_insn(b, I(JNZ, 3, 0, 0, 1));
		build_insn(b, I(LS, 3, 0, 0, 0));
		build_insn(b, I(TPS, 3, 0, 0, 0));
	}
	build_insn(b, I(REC, 0, 0, 0, 0));
	build_insn(b, I(END, 0, 0, 0, 0));
	build_clause(b, NULL, 0);
	b->clauses[0].first = 0;
	b->clauses[0].count = b->n[SECTION_CODE];
}

static struct outcome run(const struct row *row, uint32_t strsize)
{
	struct builder *b = builder_new();
	struct outcome o = {.fault = FAULT_NONE};
	const struct record_fault *fault;
	const char *body;
	struct rig *r;
	uint32_t len;

	b->strsize = strsize;
	build_field(b, field_int(8, false));
	if (is_text(row->subr))
		build_field(b, field_string(strsize));
	build_action(b, ACTION_trace, is_text(row->subr) ? 2 : 1);
	build_call(b, row);
	r = rig_new(b);
	strcpy(r->world.memory, "in the target");
	rig_fire(r);
	assert_non_null(rig_record(r));
	fault = rig_body(r);
	body = rig_body(r);
	if (r->buf.record.kind == RECORD_FAULT) {
		o.fault = fault->fault;
		o.address = fault->address;
	} else {
		memcpy(&o.number, body + 8, 8);
	}
	if (o.fault == FAULT_NONE && is_text(row->subr)) {
		memcpy(&len, body + 16, 4);
		memcpy(o.text, body + 20, len);
		o.has_text = o.number != 0;
		o.number = 0;
	}
	o.world = r->world;
	rig_free(r);
	return o;
}

/* As many arguments as the row names: the rest is END. */
#define END_ARG N(UINT64_MAX - 7)
#define A1(a)                                                                          \
	{                                                                              \
		a, END_ARG, END_ARG, END_ARG                                           \
	}
#define A2(a, b)                                                                       \
	{                                                                              \
		a, b, END_ARG, END_ARG                                                 \
	}
#define A3(a, b, c)                                                                    \
	{                                                                              \
		a, b, c, END_ARG                                                       \
	}
#define A4(a, b, c, d)                                                                 \
	{                                                                              \
		a, b, c, d, END_ARG                                                    \
	}
#define A6(a, b, c, d, e, f)                                                           \
	{                                                                              \
		a, b, c, d, e, f                                                       \
	}
#define A0                                                                             \
	{                                                                              \
		END_ARG, END_ARG, END_ARG, END_ARG, END_ARG, END_ARG                   \
	}

#define MIN	 ((uint64_t)INT64_MIN)
#define V6	 "\x20\x01\0\0\0\0\0\0\0\0\0\0\0\x0a\xff\xff"
#define V4_IN_V6 "\0\0\0\0\0\0\0\0\0\0\0\0\x7f\0\0\x01"

static const struct row rows[] = {
	{SUBR_copyin, A2(IN(0), N(4)), NONE, NULL, VM_ADDR_SCRATCH + SCRATCH},
	{SUBR_copyin, A2(IN(0), N(SCRATCH_BYTES)), FAULT_NOSCRATCH, 0, NULL, 0},
	{SUBR_copyinstr, A1(IN(3)), NONE, "the target", 0},
	{SUBR_copyinstr, A2(IN(3), N(3)), NONE, "the", 0},
	{SUBR_copyinto, A3(IN(0), N(8), OWN(SCRATCH - 8)), NONE, NULL, 0},
	{SUBR_copyinto, A3(IN(0), N(9), OWN(SCRATCH - 8)), NONE, NULL, 0},
	{SUBR_copyinto, A3(IN(0), N(9), OWN(SCRATCH_BYTES - 8)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 8), NULL, 0},
	{SUBR_copyinto, A3(N(0), N(0), OWN(0)), NONE, NULL, 0},
	{SUBR_copyinto, A3(IN(508), N(8), OWN(0)), BAD(WORLD_BASE + 512), NULL, 0},
	{SUBR_copyout, A3(T("abc"), IN(0), N(2)), NONE, NULL, 0},
	{SUBR_copyout, A3(T("abc"), IN(511), N(2)), BAD(WORLD_BASE + 511), NULL, 0},
	{SUBR_copyout, A3(N(0), N(0), N(0)), NONE, NULL, 0},
	{SUBR_copyout, A3(OWN(SCRATCH_BYTES - 4), IN(0), N(5)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 4), NULL, 0},
	{SUBR_copyoutstr, A3(T("abc"), IN(0), N(9)), NONE, NULL, 0},
	/* what cannot be read, or not as much, is no fault */
	{SUBR_print_piece, A4(OWN(0), IN(0), N(4), N(16)), NONE, NULL, 0},
	{SUBR_print_piece, A4(OWN(0), IN(0), N(-1), N(16)), NONE, NULL, 0},
	{SUBR_print_piece, A4(OWN(0), N(1), N(4), N(16)), NONE, NULL, 0},
	{SUBR_print_piece, A4(OWN(SCRATCH_BYTES - 23), IN(0), N(1), N(16)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 23), NULL, 0},
	{SUBR_print_piece, A4(OWN(0), IN(0), N(1), N(-1)), BAD(VM_ADDR_SCRATCH), NULL,
	 0},
	{SUBR_print_nodes, A6(OWN(0), IN(0), N(0), N(1), N(1), N(8ull << 32)), NONE,
	 NULL, 0},
	{SUBR_print_nodes, A6(OWN(0), N(1), N(0), N(-1), N(2), N(8ull << 32)), NONE,
	 NULL, 0},
	{SUBR_print_nodes, A6(OWN(0), IN(0), N(7), N(1), N(1), N(8ull << 32 | 2)), NONE,
	 NULL, 0},
	{SUBR_print_nodes, A6(OWN(0), IN(0), N(0), N(1), N(65), N(1ull << 32)),
	 BAD(VM_ADDR_SCRATCH), NULL, 0},
	{SUBR_print_nodes, A6(OWN(0), IN(0), N(0), N(1), N(1), N(0)), NONE, NULL, 0},
	{SUBR_print_nodes, A6(OWN(0), IN(0), N(0), N(1), N(2), N(-1)),
	 BAD(VM_ADDR_SCRATCH), NULL, 0},
	{SUBR_print_nodes,
	 A6(OWN(SCRATCH_BYTES - 15), IN(0), N(0), N(1), N(1), N(8ull << 32)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 15), NULL, 0},
	{SUBR_local_gone, A0, FAULT_NOLOCAL, 0, NULL, 0},
	{SUBR_args_spill, A2(N(1), N(2)), NONE, NULL, VM_ADDR_SCRATCH + SCRATCH},
	{SUBR_args_spill, A1(N(0x3ff8000000000000)), NONE, NULL,
	 VM_ADDR_SCRATCH + SCRATCH},
	{SUBR_alloca, A1(N(0)), NONE, NULL, VM_ADDR_SCRATCH + SCRATCH},
	{SUBR_alloca, A1(N(SCRATCH_BYTES - SCRATCH)), NONE, NULL,
	 VM_ADDR_SCRATCH + SCRATCH},
	{SUBR_alloca, A1(N(SCRATCH_BYTES - SCRATCH + 1)), FAULT_NOSCRATCH, 0, NULL, 0},
	{SUBR_alloca, A1(N(-1)), FAULT_NOSCRATCH, 0, NULL, 0},
	{SUBR_alloca, A1(N(UINT64_C(1) << 32)), FAULT_NOSCRATCH, 0, NULL, 0},
	{SUBR_bcopy, A3(T("abc"), OWN(0), N(4)), NONE, NULL, 0},
	{SUBR_bcopy, A3(T("abc"), OWN(61), N(4)), NONE, NULL, 0},
	{SUBR_bcopy, A3(T("abc"), OWN(SCRATCH_BYTES - 3), N(4)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 3), NULL, 0},
	{SUBR_bcopy, A3(T("abc"), OWN(0), N(-1)), BAD(VM_ADDR_IMAGE + 1), NULL, 0},
	{SUBR_bcopy, A3(N(0), N(0), N(0)), NONE, NULL, 0},
	{SUBR_strlen, A1(T("abc")), NONE, NULL, 3},
	{SUBR_strjoin, A2(T("ab"), T("c")), NONE, "abc", 0},
	{SUBR_substr, A2(T("abcdef"), N(2)), NONE, "cdef", 0},
	{SUBR_substr, A3(T("abcdef"), N(-4), N(2)), NONE, "cd", 0},
	{SUBR_substr, A3(T("abcdef"), N(INT32_MIN), N(INT32_MIN)), NONE, "", 0},
	{SUBR_substr, A2(T("abcdef"), N(INT32_MIN)), NONE, "", 0},
	{SUBR_substr, A3(T("abcdef"), N(INT32_MAX), N(INT32_MAX)), NONE, "", 0},
	{SUBR_substr, A2(T("abcdef"), N(UINT64_C(1) << 32 | 1)), NONE, "bcdef", 0},
	{SUBR_strchr, A2(T("abcb"), N('b')), NONE, "bcb", 0},
	{SUBR_strchr, A2(T("abcb"), N('x')), NONE, NULL, 0},
	{SUBR_strchr, A2(T("ab"), N(0)), NONE, "", 0},
	{SUBR_strchr, A2(T("a\xff"), N(-1)), NONE, "\xff", 0},
	{SUBR_strrchr, A2(T("abcb"), N('b')), NONE, "b", 0},
	{SUBR_strrchr, A2(T("abcb"), N('x')), NONE, NULL, 0},
	{SUBR_strstr, A2(T("foobar"), T("ob")), NONE, "obar", 0},
	{SUBR_strstr, A2(T("foobar"), T("obb")), NONE, NULL, 0},
	{SUBR_strstr, A2(T(""), T("")), NONE, "", 0},
	{SUBR_index, A2(T("foobar"), T("o")), NONE, NULL, 1},
	{SUBR_index, A3(T("foobar"), T("o"), N(INT32_MAX)), NONE, NULL, UINT64_MAX},
	{SUBR_index, A3(T("foobar"), T("f"), N(INT32_MIN)), NONE, NULL, 0},
	{SUBR_rindex, A2(T("foobar"), T("o")), NONE, NULL, 2},
	{SUBR_rindex, A3(T("foobar"), T("o"), N(1)), NONE, NULL, 1},
	{SUBR_rindex, A3(T("foobar"), T("o"), N(INT32_MIN)), NONE, NULL, UINT64_MAX},
	{SUBR_strtok, A2(T("::a:b"), T(":")), NONE, "a", 0},
	{SUBR_strtok, A2(T(""), T(":")), NONE, NULL, 0},
	{SUBR_strtok, A2(T("a:b"), T("")), NONE, "a:b", 0},
	{SUBR_strtok, A2(N(0), T(":")), BAD(0), NULL, 0},
	{SUBR_toupper, A1(T("aZ{\xe4")), NONE, "AZ{\xe4", 0},
	{SUBR_tolower, A1(T("aZ[\xc4")), NONE, "az[\xc4", 0},
	{SUBR_basename, A1(T("/a/b//")), NONE, "b", 0},
	{SUBR_dirname, A1(T("/a/b//")), NONE, "/a", 0},
	{SUBR_cleanpath, A1(T("/a//b/../c/.")), NONE, "/a/c/.", 0},
	{SUBR_cleanpath, A1(T("a/../")), NONE, "./", 0},
	{SUBR_cleanpath, A1(T("./../x")), NONE, "./../x", 0},
	{SUBR_cleanpath, A1(T("/..")), NONE, "/", 0},
	{SUBR_cleanpath, A1(T("a/b/..")), NONE, "a/", 0},
	{SUBR_json, A2(T("{\"a\":[1,{\"b\":2}]}"), T("a[1].b")), NONE, "2", 0},
	{SUBR_json, A2(T("[1"), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[\"\\\""), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[\"\\"), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[1,2]"), T("18446744073709551617")), NONE, NULL, 0},
	{SUBR_json, A2(T("[-]"), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[\"\\u0g\", 1]"), T("1")), NONE, NULL, 0},
	{SUBR_json, A2(T("[\"\\u123"), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[\"\\u12aF\"]"), T("0")), NONE, "\\u12aF", 0},
	{SUBR_json, A2(T("[1e]"), T("0")), NONE, NULL, 0},
	{SUBR_json, A2(T("[[[[]]],{}]"), T("1")), NONE, "{}", 0},
	{SUBR_json, A2(T("[[[[}]],{}]"), T("1")), NONE, NULL, 0},
	{SUBR_lltostr, A1(N(MIN)), NONE, "-9223372036854775808", 0},
	{SUBR_lltostr, A2(N(-1), N(2)), NONE,
	 "1111111111111111111111111111111111111111111111111111111111111111", 0},
	{SUBR_lltostr, A2(N(8), N(8)), NONE, "010", 0},
	{SUBR_lltostr, A2(N(0), N(16)), NONE, "0x0", 0},
	{SUBR_lltostr, A2(N(1), N(1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_lltostr, A2(N(1), N(37)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_lltostr, A2(N(1), N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_strtoll, A1(T("-9223372036854775808")), NONE, NULL, MIN},
	{SUBR_strtoll, A1(T("18446744073709551617")), NONE, NULL, 1},
	{SUBR_strtoll, A2(T("0x"), N(16)), NONE, NULL, 0},
	{SUBR_strtoll, A2(T(" \t+zZ"), N(36)), NONE, NULL, 1295},
	{SUBR_strtoll, A2(T("1"), N(0)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_htons, A1(N(0xabcd1234)), NONE, NULL, 0x3412},
	{SUBR_ntohs, A1(N(-2)), NONE, NULL, 0xfeff},
	{SUBR_htonl, A1(N(0x912345678)), NONE, NULL, 0x78563412},
	{SUBR_ntohl, A1(N(-2)), NONE, NULL, 0xfeffffff},
	{SUBR_htonll, A1(N(1)), NONE, NULL, UINT64_C(1) << 56},
	{SUBR_ntohll, A1(N(-2)), NONE, NULL, 0xfeffffffffffffff},
	{SUBR_inet_ntoa, A1(T("\x7f\0\0\x01")), NONE, "127.0.0.1", 0},
	{SUBR_inet_ntoa, A1(OWN(SCRATCH_BYTES - 3)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 3), NULL, 0},
	{SUBR_inet_ntoa6, A1(T(V6)), NONE, "2001::a:ffff", 0},
	{SUBR_inet_ntoa6, A1(OWN(SCRATCH_BYTES - 15)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 15), NULL, 0},
	{SUBR_inet_ntoa6, A2(T(V4_IN_V6), N(0)), NONE, "127.0.0.1", 0},
	{SUBR_inet_ntoa6, A2(T(V4_IN_V6), N(1)), NONE, "::127.0.0.1", 0},
	{SUBR_getmajor, A1(N(8 << 20 | 17)), NONE, NULL, 8},
	{SUBR_getmajor, A1(N(-1)), NONE, NULL, 0xfff},
	{SUBR_getminor, A1(N(8 << 20 | 17)), NONE, NULL, 17},
	{SUBR_getminor, A1(N(-1)), NONE, NULL, 0xfffff},
	{SUBR_inet_ntop, A2(N(2), T("\xff\xff\xff\xff")), NONE, "255.255.255.255", 0},
	{SUBR_inet_ntop, A2(N(10), OWN(0)), NONE, "::", 0},
	{SUBR_inet_ntop, A2(N(1), OWN(0)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_link_ntop, A2(N(1), T("\x01\x23\x45\x67\x89\xab")), NONE,
	 "01:23:45:67:89:ab", 0},
	{SUBR_link_ntop, A2(N(32), OWN(SCRATCH_BYTES - 19)),
	 BAD(VM_ADDR_SCRATCH + SCRATCH_BYTES - 19), NULL, 0},
	{SUBR_link_ntop, A2(N(0), OWN(0)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_speculation, A0, NONE, NULL, 0},
	{SUBR_commit, A1(N(0)), NONE, NULL, 0},
	{SUBR_commit, A1(N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_discard, A1(N(0)), NONE, NULL, 0},
	{SUBR_discard, A1(N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_progenyof, A1(N(42)), NONE, NULL, 1},
	{SUBR_progenyof, A1(N(41)), NONE, NULL, 0},
	{SUBR_fd_text, A2(N(3), N(1)), NONE, "descriptor 3 1", 0},
	{SUBR_fd_text, A2(N(-7), N(0)), NONE, "descriptor -1 0", 0},
	{SUBR_fd_text, A2(N(INT64_C(1) << 32), N(0)), NONE, "descriptor -1 0", 0},
	{SUBR_fd_text, A2(N(3), N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_fd_number, A2(N(3), N(4)), NONE, NULL, 34},
	{SUBR_fd_number, A2(N(3), N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_pystack, A0, NONE, "100 frames", 0},
	{SUBR_pystack, A1(N(2)), NONE, "2 frames", 0},
	{SUBR_pystack, A1(N(0)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_pystack, A1(N(-1)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_raise, A1(N(9)), NONE, NULL, 0},
	{SUBR_raise, A1(N(0)), FAULT_ILLOP, 0, NULL, 0},
	{SUBR_stop, A0, NONE, NULL, 0},
	{SUBR_chill, A1(N(1000)), NONE, NULL, 0},
	{SUBR_process_copy, A0, NONE, NULL, 7},
	{SUBR_record_data, A1(N(0)), NONE, "", 0},
	{SUBR_chill, A1(N(-1)), FAULT_ILLOP, 0, NULL, 0},
};

/* Its result differs from call to call, or nothing is recorded after it. */
static bool has_own_test(uint32_t subr)
{
	const char *name = everything_subrs[subr].name;

	return strcmp(name, "rand") == 0 || subr == SUBR_speculate ||
	       (subr >= SUBR_stack && subr <= SUBR_umod);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		const char *want = row->text ? row->text : "";
		struct outcome o = run(row, 256);

		if (o.fault != row->fault || o.address != row->address ||
		    o.number != row->number || strcmp(o.text, want) != 0 ||
		    o.has_text != (row->text != NULL))
			fail_msg("row %zu, %s: fault %d address %llx number %llx '%s'",
				 i, everything_subrs[row->subr].name, o.fault,
				 (unsigned long long)o.address,
				 (unsigned long long)o.number, o.text);
	}
}

static void test_each_has_a_row(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < SUBR_COUNT; s++) {
		bool found = has_own_test(s);

		for (size_t i = 0; i < ARRAY_LEN(rows) && !found; i++)
			found = rows[i].subr == (enum subr)s;
		if (!found)
			fail_msg("%s has no row here", everything_subrs[s].name);
	}
}

/* No result is longer than strsize allows, whatever it is. */
static void test_strsize(void **state)
{
	(void)state;
	for (uint32_t strsize = 1; strsize <= 12; strsize++) {
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			struct outcome o = run(&rows[i], strsize);

			if (strlen(o.text) > strsize)
				fail_msg("row %zu: '%s'", i, o.text);
		}
	}
}

static struct arg good_arg(enum subr subr, const char *proto)
{
	if (strncmp(proto, "const char *", 12) == 0 || strncmp(proto, "char *", 6) == 0)
		return T("ab");
	if (strncmp(proto, "uintptr_t", 9) == 0)
		return IN(0);
	if (strchr(proto, '*') && strcspn(proto, ",") > strcspn(proto, "*"))
		return OWN(0);
	return N(everything_int(subr));
}

static bool is_address(const char *proto)
{
	return strncmp(proto, "uintptr_t", 9) == 0 ||
	       strcspn(proto, ",") > strcspn(proto, "*");
}

/* Each argument that is an address, bad in several ways, the others good. */
static void test_bad_addresses(void **state)
{
	static const uint64_t bad[] = {
		0,
		4096,
		WORLD_BASE + 512,
		VM_ADDR_IMAGE + VM_ADDR_SPAN - 1,
		VM_ADDR_SCRATCH + SCRATCH_BYTES,
		VM_ADDR_NAMES + VM_ADDR_SPAN - 1,
		VM_ADDR_NAMES + VM_ADDR_SPAN,
		UINT64_MAX,
	};

	(void)state;
	for (uint32_t s = 0; s < SUBR_COUNT; s++) {
		for (uint32_t place = 0; place < everything_subrs[s].least; place++) {
			struct row row = {(enum subr)s, A0, NONE, NULL, 0};

			for (uint32_t i = 0; i < everything_subrs[s].least; i++)
				row.args[i] =
					good_arg(row.subr, everything_proto(s, i));
			/* Of stacks and symbols the address is what is recorded. */
			if (!is_address(everything_proto(s, place)) || has_own_test(s))
				continue;
			for (size_t k = 0; k < ARRAY_LEN(bad); k++) {
				struct outcome o;

				row.args[place] = N(bad[k]);
				o = run(&row, 256);
				if (o.fault != FAULT_BADADDR || o.address != bad[k])
					fail_msg("%s, argument %u, %llx: fault %d "
						 "address %llx",
						 everything_subrs[s].name, place + 1,
						 (unsigned long long)bad[k], o.fault,
						 (unsigned long long)o.address);
			}
		}
	}
}

/* What the destructive ones do to the target. */
static void test_destructive(void **state)
{
	static const struct {
		struct row row;
		const char *memory;
		enum vm_control control;
		uint64_t value;
	} cases[] = {
		{{SUBR_copyout, A3(T("abc"), IN(1), N(2)), NONE, NULL, 0},
		 "iabthe target",
		 0,
		 0},
		{{SUBR_copyoutstr, A3(T("abc"), IN(0), N(9)), NONE, NULL, 0},
		 "abc",
		 0,
		 0},
		{{SUBR_copyoutstr, A3(T("abc"), IN(0), N(3)), NONE, NULL, 0},
		 "abcthe target",
		 0,
		 0},
		{{SUBR_copyoutstr, A3(T("abc"), IN(0), N(0)), NONE, NULL, 0},
		 "in the target",
		 0,
		 0},
		{{SUBR_raise, A1(N(9)), NONE, NULL, 0}, "in the target", VM_RAISE, 9},
		{{SUBR_stop, A0, NONE, NULL, 0}, "in the target", VM_STOP, 0},
		{{SUBR_chill, A1(N(77)), NONE, NULL, 0}, "in the target", VM_CHILL, 77},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = run(&cases[i].row, 256);

		if (cases[i].row.subr == SUBR_copyout)
			assert_memory_equal(o.world.memory, "iabthe", 3);
		else if (strncmp(o.world.memory, cases[i].memory, 3) != 0)
			fail_msg("case %zu: '%s'", i, o.world.memory);
		assert_int_equal(o.world.control, cases[i].control);
		assert_int_equal(o.world.control_value, cases[i].value);
	}
}

/* A home that lacks the callback: a fault, no call of address 0. */
static void test_missing_callbacks(void **state)
{
	static const struct row missing[] = {
		{SUBR_copyout, A3(T("a"), IN(0), N(1)), NONE, NULL, 0},
		{SUBR_copyoutstr, A3(T("a"), IN(0), N(1)), NONE, NULL, 0},
		{SUBR_raise, A1(N(9)), NONE, NULL, 0},
		{SUBR_stop, A0, NONE, NULL, 0},
		{SUBR_chill, A1(N(1)), NONE, NULL, 0},
		{SUBR_process_copy, A0, NONE, NULL, 0},
		{SUBR_progenyof, A1(N(1)), NONE, NULL, 0},
		{SUBR_fd_number, A2(N(1), N(3)), NONE, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
		struct builder *b = builder_new();
		const struct record_fault *fault;
		struct rig *r;

		build_field(b, field_int(8, false));
		build_action(b, ACTION_trace, 1);
		build_call(b, &missing[i]);
		r = rig_new(b);
		r->vm.env.write = NULL;
		r->vm.env.control = NULL;
		r->vm.env.progenyof = NULL;
		r->vm.env.descriptor = NULL;
		r->vm.env.python = NULL;
		rig_fire(r);
		assert_non_null(rig_record(r));
		fault = rig_body(r);
		assert_int_equal(r->buf.record.kind, RECORD_FAULT);
		assert_int_equal(fault->fault, FAULT_ILLOP);
		rig_free(r);
	}
}

/* What the verifier's test and the fuzzers start from gets to its end. */
static void test_everything_is_called(void **state)
{
	size_t size;
	void *image = build_everything(&size);
	struct state_config c = rig_config(image);
	struct rig *r = rig_with(image, size, &c);

	(void)state;
	r->probe.first_enabling = r->probe.nenablings - 2;
	r->probe.nenablings = 2;
	rig_fire(r);
	if (rig_record(r) && r->buf.record.kind == RECORD_FAULT) {
		const struct record_fault *fault = rig_body(r);

		fail_msg("fault %d at instruction %u", fault->fault, fault->insn);
	}
	rig_free(r);
}

/* Frames beyond what the compiler allows, and any address, whatever it is. */
static void test_locations(void **state)
{
	/* the frames and the process, or all the scratch memory of a small build */
	const bool has_room = (PROGRAM_FRAMES_MAX + 1) * 8 <= SCRATCH_BYTES;
	const struct {
		uint64_t arg;
		enum fault stack, symbol;
	} cases[] = {
		{0, FAULT_ILLOP, FAULT_NONE},
		{1, FAULT_NONE, FAULT_NONE},
		{PROGRAM_FRAMES_MAX, has_room ? FAULT_NONE : FAULT_NOSCRATCH,
		 FAULT_NONE},
		{PROGRAM_FRAMES_MAX + 1, FAULT_ILLOP, FAULT_NONE},
		{UINT64_MAX, FAULT_ILLOP, FAULT_NONE},
	};

	(void)state;
	for (uint32_t s = SUBR_stack; s <= SUBR_umod; s++) {
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			struct row row = {(enum subr)s, A0, NONE, NULL, 0};
			struct outcome o;

			row.args[0] = N(cases[i].arg);
			o = run(&row, 256);
			assert_int_equal(o.fault, s <= SUBR_jstack ? cases[i].stack
								   : cases[i].symbol);
		}
	}
}

static void test_rand(void **state)
{
	const struct row row = {SUBR_rand, A0, NONE, NULL, 0};
	uint64_t first = run(&row, 256).number;

	(void)state;
	assert_in_range(first, 0, INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_each_has_a_row),
		cmocka_unit_test(test_strsize),
		cmocka_unit_test(test_bad_addresses),
		cmocka_unit_test(test_destructive),
		cmocka_unit_test(test_missing_callbacks),
		cmocka_unit_test(test_everything_is_called),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_rand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
