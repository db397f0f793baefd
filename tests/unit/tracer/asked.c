/* SPDX-License-Identifier: MIT */
/* What clauses have asked, as a journal that answers the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/events/asked.h"
#include "vm/isa.h"

static struct event_journal journal_of(const struct asked *a)
{
	return (struct event_journal){(const unsigned char *)a->journal.data,
				      (uint32_t)a->journal.len};
}

static void test_answers(void **state)
{
	struct asked a = {.is_kept = true};
	const uint64_t uid = 1000, other = 1001;
	struct event_journal j;
	char text[16];
	uint64_t value;
	taddr bad;

	(void)state;
	asked_begin(&a);
	asked_add(&a, JOURNAL_NUMBER, (uint64_t)BUILTIN_uid << 32, &uid, sizeof(uid));
	asked_add(&a, JOURNAL_NUMBER, (uint64_t)BUILTIN_uid << 32, &other,
		  sizeof(other)); /* the first one counts */
	assert_int_equal(a.journal.len, sizeof(struct journal_entry) + sizeof(uid));
	asked_add(&a, JOURNAL_TEXT, BUILTIN_cwd, "/home", 5);
	asked_add(&a, JOURNAL_DEVICE, 0x800001, "sda1", 4);
	asked_add_memory(&a, 0x1000, "abcdef", 6, false);
	asked_add_memory(&a, 0x2000, "xy", 2, true);
	asked_add(&a, JOURNAL_DESCRIPTOR, UINT64_C(3) << 32 | 1, "pipe", 4);
	j = journal_of(&a);
	assert_true(event_journal_number(&j, BUILTIN_uid, 0, &value));
	assert_int_equal(value, uid);
	assert_false(event_journal_number(&j, BUILTIN_gid, 0, &value));
	assert_true(event_journal_text(&j, BUILTIN_cwd, text, sizeof(text)));
	assert_string_equal(text, "/home");
	assert_true(event_journal_device(&j, 0x800001, text, sizeof(text)));
	assert_string_equal(text, "sda1");
	assert_false(event_journal_device(&j, 0x800002, text, sizeof(text)));
	assert_int_equal(event_journal_read(&j, taddr_of(0x1002), text, 4, &bad), 0);
	assert_memory_equal(text, "cdef", 4);
	assert_int_not_equal(event_journal_read(&j, taddr_of(0x2000), text, 4, &bad),
			     0);
	assert_int_equal(bad.v, 0x2002);
	event_journal_descriptor(&j, 3, 1, text, sizeof(text));
	assert_string_equal(text, "pipe");
	asked_begin(&a);
	assert_int_equal(a.journal.len, 0);
	asked_release(&a);
}

/* It stays small enough for a record; nobody who does not record keeps anything. */
static void test_limits(void **state)
{
	struct asked a = {.is_kept = true}, none = {.is_kept = false};
	static const char block[4000];
	struct event_journal j;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		asked_add_memory(&a, i << 12, block, sizeof(block), false);
		asked_add_memory(&none, i << 12, block, sizeof(block), false);
	}
	asked_add(&a, JOURNAL_PROGENY, 42, NULL, 0); /* it is small: it has room */
	asked_add_memory(&a, 1, block, UINT32_MAX, false);
	j = journal_of(&a);
	assert_in_range(a.journal.len, 28000, 32768);
	assert_true(event_journal_has(&j, JOURNAL_MEMORY, 0));
	assert_true(event_journal_has(&j, JOURNAL_PROGENY, 42));
	assert_int_equal(none.journal.len, 0);
	asked_release(&a);
	asked_release(&none);
}

/* A recording that has no such events tells nothing; nor does one event of another. */
static void test_told(void **state)
{
	struct told t = {.time = 5, .tid = 7};
	const struct ring_record same = {.time = 5, .tid = 7},
				 later = {.time = 6, .tid = 7},
				 thread = {.time = 5, .tid = 8};

	(void)state;
	assert_false(told_take(&t, &same));
	assert_null(told_of(&t, &same));
	strbuf_puts(&t.bytes, "12345678");
	assert_non_null(told_of(&t, &same));
	assert_int_equal(told_of(&t, &same)->n, 8);
	assert_null(told_of(&t, &later));
	assert_null(told_of(&t, &thread));
	told_release(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
