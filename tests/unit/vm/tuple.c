/* SPDX-License-Identifier: MIT */
/* Tuples: reading hostile bytes, pushing up to the limit, padding. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"
#include "vm/tuple.h"

static void test_read(void **state)
{
	static const struct {
		struct program_field field;
		const char *data;
		size_t n, pos;
		int result;
		size_t end;
		uint64_t number;
		const char *bytes;
	} cases[] = {
		{{.kind = KIND_INT, .size = 8},
		 "\1\0\0\0\0\0\0\x80",
		 8,
		 0,
		 0,
		 8,
		 UINT64_C(0x8000000000000001),
		 NULL},
		{{.kind = KIND_INT, .size = 1},
		 "\x80\0\0\0\0\0\0\0",
		 8,
		 0,
		 0,
		 8,
		 0x80,
		 NULL},
		{{.kind = KIND_INT, .size = 1, .is_signed = 1},
		 "\x80\0\0\0\0\0\0\0",
		 8,
		 0,
		 0,
		 8,
		 UINT64_MAX - 127,
		 NULL},
		{{.kind = KIND_INT, .size = 4, .is_signed = 1},
		 "\xff\xff\xff\xff\0\0\0\0",
		 8,
		 0,
		 0,
		 8,
		 UINT64_MAX,
		 NULL},
		{{.kind = KIND_INT, .size = 4},
		 "\xff\xff\xff\xff\7\7\7\7",
		 8,
		 0,
		 0,
		 8,
		 UINT32_MAX,
		 NULL},
		{{.kind = KIND_INT, .size = 8},
		 "\1\0\0\0\0\0\0",
		 7,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_INT, .size = 8},
		 "12345678",
		 8,
		 8,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_INT, .size = 8},
		 "12345678",
		 8,
		 9,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_STR, .size = 256},
		 "\3\0\0\0abc\0",
		 8,
		 0,
		 0,
		 8,
		 0,
		 "abc"},
		{{.kind = KIND_STR, .size = 256},
		 "\0\0\0\0\0\0\0\0",
		 8,
		 0,
		 0,
		 8,
		 0,
		 ""},
		{{.kind = KIND_STR, .size = 256},
		 "\4\0\0\0abcd",
		 8,
		 0,
		 0,
		 8,
		 0,
		 "abcd"},
		{{.kind = KIND_STR, .size = 256},
		 "\5\0\0\0abcde\0\0\0\0\0\0\0",
		 16,
		 0,
		 0,
		 16,
		 0,
		 "abcde"},
		{{.kind = KIND_STR, .size = 256},
		 "\5\0\0\0abcde\0\0\0\0\0\0\0",
		 8,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_STR, .size = 256},
		 "\xff\xff\xff\xff\0\0\0\0",
		 8,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_STR, .size = 256},
		 "\xfc\xff\xff\xff\0\0\0\0",
		 8,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_STR, .size = 256},
		 "\0\0\0\0",
		 4,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
		{{.kind = KIND_BYTES, .size = 3},
		 "\3\0\0\0abc\0",
		 8,
		 0,
		 0,
		 8,
		 0,
		 "abc"},
		{{.kind = KIND_BYTES, .size = 4},
		 "\3\0\0\0abc\0",
		 8,
		 0,
		 STATUS_BADFMT,
		 0,
		 0,
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *data = malloc(cases[i].n); /* the sanitizer sees its end */
		struct tuple_value v;
		size_t pos = cases[i].pos;
		int rc;

		memcpy(data, cases[i].data, cases[i].n);
		rc = tuple_next(data, cases[i].n, &pos, &cases[i].field, &v);
		if (rc != cases[i].result)
			fail_msg("case %zu: %d", i, rc);
		if (rc == 0) {
			assert_int_equal(pos, cases[i].end);
			assert_true(v.number == cases[i].number);
			assert_ptr_equal(v.field, &cases[i].field);
		}
		if (cases[i].bytes) {
			assert_int_equal(v.len, strlen(cases[i].bytes));
			assert_memory_equal(v.bytes, cases[i].bytes, v.len);
		}
		free(data);
	}
}

/* Pushes n strings of len bytes; the sum of their room decides. */
static int32_t push_strings(uint32_t n, uint32_t len)
{
	struct builder *b = builder_new();
	char *text = calloc(1, len + 1);
	insn_t *code = calloc(n + 4, sizeof(*code));
	const struct record_fault *fault;
	int32_t result = FAULT_NONE;
	struct state_config c;
	struct rig *r;
	size_t size;
	void *image;

	memset(text, 's', len);
	b->strsize = 2048;
	code[0] = I(LS, 0, 0, 0, build_string(b, text));
	code[1] = I(TUP, 0, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++) {
		build_field(b, field_string(2048));
		code[2 + i] = I(TPS, 0, 0, 0, 0);
	}
	build_action(b, ACTION_printf, n);
	code[n + 2] = I(REC, 0, 0, 0, 0);
	code[n + 3] = I(END, 0, 0, 0, 0);
	build_clause(b, code, n + 4);
	image = build_image(b, &size);
	c = rig_config(image);
	c.bufsize = 1 << 20;
	r = rig_with(image, size, &c);
	rig_fire(r);
	assert_non_null(rig_record(r));
	fault = rig_body(r);
	if (r->buf.record.kind == RECORD_FAULT)
		result = fault->fault;
	free(code);
	free(text);
	rig_free(r);
	return result;
}

static void test_overflow(void **state)
{
	const uint32_t fitting = TUPLE_BYTES / 1024;

	(void)state;
	assert_int_equal(push_strings(fitting, 1020), FAULT_NONE);
	assert_int_equal(push_strings(fitting, 1021), FAULT_TUPOFLOW);
	assert_int_equal(push_strings(fitting + 1, 1020), FAULT_TUPOFLOW);
}

/* The bytes between a string's end and the next 8 are zero, whatever was there. */
static void test_padding(void **state)
{
	struct builder *b = builder_new();
	const uint32_t longer = build_string(b, "longer-text"),
		       shorter = build_string(b, "x");
	const insn_t code[] = {
		I(LS, 0, 0, 0, longer), I(TUP, 0, 0, 0, 0),	 I(TPS, 0, 0, 0, 0),
		I(REC, 0, 0, 0, 0),	I(LS, 1, 0, 0, shorter), I(TUP, 0, 0, 0, 0),
		I(TPS, 1, 0, 0, 0),	I(REC, 0, 0, 0, 0),	 I(LI, 2, 0, 0, -1),
		I(TUP, 0, 0, 0, 0),	I(TPI, 2, 0, 2, 0),	 I(REC, 0, 0, 0, 1),
		I(END, 0, 0, 0, 0),
	};
	struct rig *r;

	(void)state;
	build_field(b, field_string(256));
	build_action(b, ACTION_trace, 1);
	build_field(b, field_int(2, true));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	rig_fire(r);
	assert_non_null(rig_record(r));
	assert_memory_equal((const char *)rig_body(r) + 8, "\13\0\0\0longer-text\0",
			    16);
	assert_memory_equal((const char *)rig_body(r) + 32, "\1\0\0\0x\0\0\0", 8);
	assert_memory_equal((const char *)rig_body(r) + 48, "\xff\xff\0\0\0\0\0\0", 8);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
