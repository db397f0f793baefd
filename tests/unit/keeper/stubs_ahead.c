/* SPDX-License-Identifier: MIT */
/* Stubs that another thread builds are those that the keeper would build itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support/hook_code.h"
#include "tracer/keeper/sites/stubs_ahead.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <time.h>

#define REQUESTS 3000u
#define APART	 64u /* bytes between the functions of two requests */
#define STUB_AT	 (CODE_AT + 0x1000000)

/* can_move: whether it may be built ahead. */
static const struct {
	const char *text;
	bool can_move;
} functions[] = {
	{"55 48 89 e5 90 c3", true},
	{"f3 0f 1e fa 55 48 89 e5 c3", true},
	{"48 8b 05 00 10 00 00 c3", true},
	{"67 48 8b 05 00 10 00 00 c3", false}, /* its operand is cut to 32 bits */
	{"75 05 b8 01 00 00 00 c3", true},
	{"e8 01 00 00 00 c3 8d 47 0b c3", true}, /* the call is retargeted */
	{"e3 05 b8 05 00 00 00 c3", true},
	{"41 50 41 ff d2 41 58 c3", true},
	{"ff 25 00 10 00 00", true},
	{"c5 f8 77 0f 1f 00 c3", true}, /* capstone confirms it */
};

struct lab {
	struct detour_requests list;
	bool can_move[REQUESTS];
};

static void lab_init(struct lab *lab)
{
	struct detour_request *data = oom_calloc(REQUESTS, sizeof(*data));

	lab->list = (struct detour_requests){.data = data, .len = REQUESTS};
	for (size_t i = 0; i < REQUESTS; i++) {
		const size_t k = i % ARRAY_LEN(functions);
		uint8_t ignored[64];
		struct code c;

		code_set(&c, functions[k].text,
			 hex_bytes(functions[k].text, ignored, sizeof(ignored)));
		code_plan(&c);
		assert_int_equal(c.plan.reason, HOOK_REASON_NONE);
		data[i].plan = c.plan;
		data[i].plan.site.v += i * APART;
		data[i].plan.patch.v += i * APART;
		lab->can_move[i] = functions[k].can_move;
	}
}

static struct stub_request request_of(const struct lab *lab, size_t i)
{
	return (struct stub_request){
		.plan = &lab->list.data[i].plan,
		.gate = {8, 16},
		.site = (uint32_t)i,
		.stub = taddr_of(STUB_AT + i * STUB_MAX),
		.switch_word = taddr_of(STUB_AT - 8 * (i + 1)),
	};
}

static void assert_as_built(const struct stub_request *req, const struct stub *taken)
{
	struct stub built;

	assert_int_equal(stub_build(req, &built), 0);
	assert_int_equal(taken->n, built.n);
	assert_memory_equal(taken->bytes, built.bytes, built.n);
	assert_memory_equal(taken->patch, built.patch, sizeof(built.patch));
	assert_memory_equal(taken->island, built.island, sizeof(built.island));
	assert_memory_equal(taken->prologues, built.prologues,
			    req->plan->nsites * sizeof(*built.prologues));
}

/* How many of the stubs have been built ahead. */
static size_t take_all(const struct lab *lab, long pause_ns)
{
	const struct timespec pause = {0, pause_ns};
	struct stubs_ahead *ahead = stubs_ahead_begin(&lab->list);
	size_t ntaken = 0;

	assert_non_null(ahead);
	nanosleep(&pause, NULL);
	for (size_t i = 0; i < REQUESTS; i++) {
		const struct stub_request req = request_of(lab, i);
		struct stub stub;

		if (!stubs_ahead_take(ahead, i, &req, &stub))
			continue;
		assert_true(lab->can_move[i]);
		assert_as_built(&req, &stub);
		ntaken++;
	}
	stubs_ahead_end(ahead);
	return ntaken;
}

static void test_taken(void **state)
{
	struct lab lab;
	size_t most = 0;

	(void)state;
	lab_init(&lab);
	/* What is not ready is left out: with time enough, much is. */
	for (long pause = 1000; pause < 900000000 && most < REQUESTS / 2; pause *= 2) {
		const size_t n = take_all(&lab, pause);

		most = n > most ? n : most;
	}
	assert_true(most >= REQUESTS / 4); /* small limits: memory for that many */
	free(lab.list.data);
}

/* No request is looked at after the end, however soon that is. */
static void test_ended(void **state)
{
	struct lab lab;

	(void)state;
	lab_init(&lab);
	for (int i = 0; i < 50; i++)
		stubs_ahead_end(stubs_ahead_begin(&lab.list));
	free(lab.list.data);
}

static void test_few(void **state)
{
	struct detour_requests none = {0};
	struct stub_request req = {0};
	struct stub stub;

	(void)state;
	assert_null(stubs_ahead_begin(&none));
	assert_false(stubs_ahead_take(NULL, 0, &req, &stub));
	stubs_ahead_end(NULL);
}

/* Out of reach from its place: who asks builds it, and learns why. */
static void test_far(void **state)
{
	struct stubs_ahead *ahead;
	struct lab lab;
	size_t far = 0;

	(void)state;
	lab_init(&lab);
	ahead = stubs_ahead_begin(&lab.list);
	for (size_t i = 0; i < REQUESTS; i++) {
		struct stub_request req = request_of(&lab, i);
		struct stub stub;

		req.stub.v += UINT64_C(1) << 33;
		req.switch_word.v += UINT64_C(1) << 33;
		far += !stubs_ahead_take(ahead, i, &req, &stub);
	}
	stubs_ahead_end(ahead);
	assert_int_equal(far, REQUESTS);
	free(lab.list.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
