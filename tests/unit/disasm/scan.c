/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "tests/unit/support/hex.h"
#include "vm/base/status.h"

#define AT   0x401000
#define COLD 0x400100

/* What scan_function() told, as text: "0 1x 5?": x an exit, ? perhaps one. */
struct story {
	char text[512];
	size_t n;
	uint32_t end; /* of the last one */
};

static void tell(void *ctx, const struct scan_site *s)
{
	struct story *story = ctx;
	const char *mark = s->is_exit ? "x" : s->is_maybe ? "?" : "";
	int n = snprintf(story->text + story->n, sizeof(story->text) - story->n,
			 "%s%u%s", story->n ? " " : "", s->offset, mark);

	assert_true(s->offset >= story->end);
	story->end = s->offset + s->len;
	assert_false(s->is_exit && s->is_maybe);
	story->n += (size_t)n;
}

static void tell_data(void *ctx, uint32_t offset, uint32_t n)
{
	struct story *story = ctx;
	int chars = snprintf(story->text + story->n, sizeof(story->text) - story->n,
			     " [%u+%u]", offset, n);

	assert_true(n > 0 && offset >= story->end);
	story->end = offset + n;
	story->n += (size_t)chars;
}

/* room: bytes that can be read; 0: those of the text. */
static int scan_in(const char *text, size_t room, struct story *story, uint32_t *bad)
{
	uint8_t bytes[128] = {0};
	size_t n = hex_bytes(text, bytes, sizeof(bytes));
	struct addr_range ranges[] = {
		{taddr_of(AT), taddr_of(AT + n)},
		{taddr_of(COLD), taddr_of(COLD + 0x20)},
	};
	struct scan_request req = {.bytes = bytes,
				   .n = n,
				   .ranges = ranges,
				   .nranges = ARRAY_LEN(ranges),
				   .site = tell,
				   .data = tell_data,
				   .ctx = story,
				   .room = room};

	assert_in_range(room, 0, sizeof(bytes));
	memset(story, 0, sizeof(*story));
	return scan_function(&req, bad);
}

static int scan_text(const char *text, struct story *story, uint32_t *bad)
{
	return scan_in(text, 0, story, bad);
}

/* Exits of some code, one after the other. */
struct exits {
	struct scan_site list[256];
	size_t n;
	int status;
	uint32_t bad;
};

static void note_exit(void *ctx, const struct scan_site *s)
{
	struct exits *x = ctx;

	if ((s->is_exit || s->is_maybe) && x->n < ARRAY_LEN(x->list))
		x->list[x->n++] = *s;
}

static void find_exits(struct scan_request *req, struct exits *x)
{
	*x = (struct exits){.bad = UINT32_MAX};
	req->site = note_exit;
	req->ctx = x;
	x->status = scan_function(req, &x->bad);
}

static uint64_t random_word(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *state >> 33;
}

/* Bytes like those of code: many are of the list. */
static void make_code(uint8_t *bytes, size_t n, uint64_t *state)
{
	static const uint8_t often[] = {0x74, 0xeb, 0xe9, 0xe8, 0xc3, 0x48, 0x89, 0x0f,
					0x85, 0x8b, 0xff, 0x24, 0x66, 0x00, 0x02, 0xfe,
					0xf6, 0xc7, 0xc5, 0xe2, 0x05, 0x10};

	for (size_t i = 0; i < n; i++) {
		uint64_t word = random_word(state);

		bytes[i] = word & 3 ? often[(word >> 2) % sizeof(often)]
				    : (uint8_t)(word >> 2);
	}
}

/* Instructions that are skipped are no exits: with room behind the bytes, and without. */
static void test_exits_only(void **unused)
{
	enum { N = 120, ROUNDS = 20000 };
	uint8_t bytes[N + INSN_ROOM];
	struct addr_range ranges[] = {{taddr_of(AT), taddr_of(AT + N)},
				      {taddr_of(AT + N + 4), taddr_of(AT + N + 60)}};
	struct exits all, some;
	uint64_t state = 1, nexits = 0;

	(void)unused;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct scan_request req = {
			.bytes = bytes, .n = N, .ranges = ranges, .nranges = 1 + i % 2};

		make_code(bytes, sizeof(bytes), &state);
		find_exits(&req, &all);
		nexits += all.n;
		req.exits_only = true;
		for (req.room = N; req.room <= N + INSN_ROOM; req.room += INSN_ROOM) {
			find_exits(&req, &some);
			assert_memory_equal(&some, &all, sizeof(all));
		}
		req.is_quick = true; /* finds the same, and what decode() rejects */
		find_exits(&req, &some);
		assert_true(some.n >= all.n);
		assert_memory_equal(some.list, all.list, all.n * sizeof(*all.list));
		for (size_t k = 0; k < some.n && k <= all.n; k++)
			assert_int_equal(scan_is_exit(&req, some.list[k].offset),
					 k < all.n);
	}
	assert_true(nexits > ROUNDS);
}

static void test_sites(void **state)
{
	static const struct {
		const char *text, *story;
	} cases[] = {
		{"", ""},
		{"55 48 89 e5 5d c3", "0 1 4 5x"},
		{"f3 c3", "0x"},
		{"c2 08 00", "0x"},
		{"90 eb fd", "0 1"},	   /* to its own entry */
		{"90 74 00 c3", "0 1 3x"}, /* to the next */
		{"90 eb 00", "0 1x"},	   /* to its end: outside */
		{"74 05 c3", "0x 2x"},	   /* conditional tail jump */
		{"e9 00 10 00 00", "0x"},
		{"e9 fb f0 ff ff", "0"},	/* 401005-f05: the cold part */
		{"e9 1a f1 ff ff", "0"},	/* its last byte */
		{"e9 1b f1 ff ff", "0x"},	/* after it */
		{"e9 fa f0 ff ff", "0x"},	/* before it */
		{"e3 7f c3", "0x 2x"},		/* jrcxz */
		{"ff 24 c5 00 00 40 00", "0?"}, /* jump table */
		{"ff e0", "0?"},
		{"e8 00 10 00 00 c3", "0 5x"}, /* a call is no exit */
		{"ff d0 0f 0b", "0 2"},
		{"48 cb", "0x"}, /* far return */
		{"ff 28", "0?"},
		{"ff 18 c3", "0 2x"}, /* far call */
		{"0f 05 cc f4", "0 2 3"},
	};
	struct story story;
	uint32_t bad;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(scan_text(cases[i].text, &story, &bad), 0);
		assert_string_equal(story.text, cases[i].story);
	}
}

/* Constants and tables among the instructions, which name them. */
static void test_data(void **state)
{
	static const struct {
		const char *text, *story;
	} cases[] = {
		/* mov 12(%rip); add; jmp over eight bytes; ret */
		{"48 8b 05 05 00 00 00 48 01 f8 eb 08 88 77 66 55 44 33 22 11 c3",
		 "0 7 10 [12+8] 20x"},
		/* lea of a byte behind the ret: it would be another */
		{"48 8d 05 05 00 00 00 0f b6 04 38 c3 c3", "0 7 11x [12+1]"},
		/* the same with an immediate behind the displacement: cmpb */
		{"80 3d 01 00 00 00 05 c3 c3", "0 7x [8+1]"},
		/* jumps through a register to what lea names, or by zeros there */
		{"48 8d 05 02 00 00 00 ff e0 c3", "0 7? 9x"},
		{"48 8d 05 02 00 00 00 ff e0 00 00 c3", "0 7? [9+3]"},
		{"48 8d 05 02 00 00 00 ff e0 90 90 c3", "0 7? 9 10 11x"},
		/* what is read is no code, even if there is such a jump */
		{"48 8b 05 02 00 00 00 ff e0 90 c3", "0 7? [9+2]"},
		/* what is named may be run as well, or be the function itself */
		{"48 8b 05 00 00 00 00 c3", "0 7x"},
		{"48 8d 05 f9 ff ff ff c3", "0 7x"},
		/* jmp to the second byte of itself: inc, rep ret; then a constant */
		{"48 8b 05 05 00 00 00 eb ff c0 f3 c3 aa", "0 7 10x [12+1]"},
		/* code behind a constant that nothing leads to */
		{"48 8b 05 01 00 00 00 c3 aa 90 c3", "0 7x [8+3]"},
	};
	struct story story;
	uint32_t bad;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const size_t room = i % 2 ? 128 : 0;

		assert_int_equal(scan_in(cases[i / 2].text, room, &story, &bad), 0);
		assert_string_equal(story.text, cases[i / 2].story);
	}
}

/*
 * Of what may be code that a jump leads to, the beginning is looked at: a function with
 * an address for each of its bytes takes no longer than others.
 */
static void test_long_runs(void **state)
{
	static const struct {
		unsigned nops;
		const char *end;
	} cases[] = {{60, "[9+62]"}, {70, "79"}};
	char text[512];
	struct story story;
	uint32_t bad;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		strcpy(text, "48 8d 05 02 00 00 00 ff e0");
		for (unsigned k = 0; k < cases[i].nops; k++)
			strcat(text, " 90");
		strcat(text, " 00 00");
		assert_int_equal(scan_text(text, &story, &bad), 0);
		assert_string_equal(strrchr(story.text, ' ') + 1, cases[i].end);
	}
}

static void note(void *ctx, const struct scan_site *s)
{
	struct story *story = ctx;

	assert_true(s->is_exit || s->is_maybe);
	story->n += (size_t)snprintf(story->text + story->n,
				     sizeof(story->text) - story->n, "%u ", s->offset);
}

/* Those alone that leave, or may. */
static void test_exits(void **state)
{
	static const uint8_t bytes[] = {0x90, 0x74, 0x02, 0xff, 0xe0, 0x90, 0xc3};
	const struct addr_range range = {taddr_of(AT), taddr_of(AT + sizeof(bytes))};
	struct story story = {0};
	const struct scan_request req = {.bytes = bytes,
					 .n = sizeof(bytes),
					 .ranges = &range,
					 .nranges = 1,
					 .site = note,
					 .ctx = &story,
					 .exits_only = true};
	uint32_t bad;

	(void)state;
	assert_int_equal(scan_function(&req, &bad), 0);
	assert_string_equal(story.text, "3 6 ");
	assert_true(scan_is_exit(&req, 3) && scan_is_exit(&req, 6));
	assert_false(scan_is_exit(&req, 0) || scan_is_exit(&req, 1));
	assert_false(scan_is_exit(&req, 7) || scan_is_exit(&req, UINT32_MAX));
}

static void test_undecodable(void **state)
{
	static const struct {
		const char *text, *story;
		uint32_t bad;
	} cases[] = {
		{"06", "", 0},
		{"90 55 06 c3", "0 1", 2},
		{"90 48 8b", "0", 1}, /* cut off by the end of the function */
		{"c3 e8 00 00", "0x", 1},
		{"48 8b 05 01 00 00 00 06 c3", "0", 7}, /* it names its end */
	};
	struct story story;
	uint32_t bad;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bad = UINT32_MAX;
		assert_int_equal(scan_text(cases[i].text, &story, &bad), STATUS_BADFMT);
		assert_string_equal(story.text, cases[i].story);
		assert_int_equal(bad, cases[i].bad);
	}
}

static void test_bad_request(void **state)
{
	static const uint8_t ret = 0xc3;
	struct scan_request req = {.bytes = &ret, .n = 1};
	uint32_t bad = 7;

	(void)state;
	assert_int_equal(scan_function(&req, &bad), STATUS_INVAL);
	assert_int_equal(bad, 7);
	assert_false(scan_is_exit(&req, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites),	    cmocka_unit_test(test_exits),
		cmocka_unit_test(test_exits_only),  cmocka_unit_test(test_undecodable),
		cmocka_unit_test(test_data),	    cmocka_unit_test(test_long_runs),
		cmocka_unit_test(test_bad_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
