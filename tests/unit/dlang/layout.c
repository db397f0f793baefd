/* SPDX-License-Identifier: MIT */
/*
 * Layout of structs: every declaration is given to this compiler and to D's, and
 * both must agree on sizes, offsets and on which bits of memory a field is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_run.h"

/* struct name, for both; its text is name_text. */
#define BOTH(name, ...)                                                                \
	struct name __VA_ARGS__;                                                       \
	static const char name##_text[] = "struct " #name " " #__VA_ARGS__ ";"

BOTH(plain, {
	char a;
	short b;
	char c;
	int d;
	char e;
	long f;
	char g;
});
BOTH(arrays, {
	char a[3];
	short b[3];
	char c;
	long d[2];
	char *e[2];
	char f;
});
BOTH(floats, {
	char a;
	float b;
	char c;
	double d;
	char e;
	long double f;
	char g;
});
BOTH(pointers, {
	char a;
	void *b;
	char c;
	int (*d)(int);
	char e;
	struct plain *f;
});
BOTH(inner, {
	char a;
	struct {
		char b;
		short c;
	} d;
	char e;
	union {
		char f;
		int g;
	} h;
});
BOTH(bits, {
	int a : 3;
	unsigned b : 5;
	int c : 20;
	unsigned d : 7;
	char e;
});
BOTH(mixed, {
	char a;
	int b : 8;
	int c : 16;
	short d : 9;
	char e;
	long f : 40;
});
BOTH(crossing, {
	int a : 20;
	int b : 20;
	long c : 30;
	long d : 40;
	char e : 7;
	char f : 2;
});
BOTH(chars, {
	unsigned char a : 4;
	unsigned char b : 5;
	unsigned char c : 3;
	char d;
});
BOTH(whole, {
	unsigned long a : 64;
	int b : 32;
	unsigned char c : 8;
	long d : 1;
});

static void run_text(struct run *r, const char *text)
{
	const char *trouble;

	run_compile(r, text);
	if (r->status)
		fail_msg("%s: %s", text, r->messages.data);
	trouble = run_prepare(r);
	if (trouble)
		fail_msg("%s: %s", text, trouble);
	run_fire(r);
	if (r->fault != FAULT_NONE)
		fail_msg("%s: fault %d", text, r->fault);
}

/* The one value that the program after the declarations records. */
static uint64_t value_of(const char *declarations, const char *expression)
{
	char text[1024];
	struct run r;
	uint64_t v;

	snprintf(text, sizeof(text), "%s BEGIN { trace(%s); }", declarations,
		 expression);
	run_text(&r, text);
	assert_int_equal(r.nvalues, 1);
	v = r.values[0].number;
	run_release(&r);
	return v;
}

struct extent {
	const char *declarations, *expression;
	uint64_t value;
};

#define SIZE(name)                                                                     \
	{                                                                              \
		name##_text, "sizeof (struct " #name ")", sizeof(struct name)          \
	}
#define OFFSET(name, member)                                                           \
	{                                                                              \
		name##_text, "offsetof(struct " #name ", " #member ")",                \
			offsetof(struct name, member)                                  \
	}

static void test_extents(void **state)
{
	static const struct extent cases[] = {
		SIZE(plain),	     OFFSET(plain, b),	  OFFSET(plain, c),
		OFFSET(plain, d),    OFFSET(plain, e),	  OFFSET(plain, f),
		OFFSET(plain, g),    SIZE(arrays),	  OFFSET(arrays, b),
		OFFSET(arrays, c),   OFFSET(arrays, d),	  OFFSET(arrays, e),
		OFFSET(arrays, f),   SIZE(floats),	  OFFSET(floats, b),
		OFFSET(floats, c),   OFFSET(floats, d),	  OFFSET(floats, e),
		OFFSET(floats, f),   OFFSET(floats, g),	  SIZE(pointers),
		OFFSET(pointers, b), OFFSET(pointers, d), OFFSET(pointers, f),
		SIZE(inner),	     OFFSET(inner, d),	  OFFSET(inner, e),
		OFFSET(inner, h),    SIZE(bits),	  OFFSET(bits, e),
		SIZE(mixed),	     OFFSET(mixed, e),	  SIZE(crossing),
		SIZE(chars),	     OFFSET(chars, d),	  SIZE(whole),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (value_of(cases[i].declarations, cases[i].expression) !=
		    cases[i].value)
			fail_msg("%s: not %llu", cases[i].expression,
				 (unsigned long long)cases[i].value);
}

/* A field of the struct that is made of the target's bytes. */
#define READ(name, field)                                                              \
	do {                                                                           \
		struct name s;                                                         \
		const char *e =                                                        \
			"((struct " #name " *)copyin(arg0, sizeof (struct " #name      \
			")))->" #field;                                                \
		memcpy(&s, run_memory, sizeof(s));                                     \
		if (value_of(name##_text, e) != (uint64_t)(int64_t)s.field)            \
			fail_msg("%s: not %lld", e, (long long)s.field);               \
	} while (0)

static void test_reads(void **state)
{
	(void)state;
	READ(plain, b);
	READ(plain, d);
	READ(plain, f);
	READ(bits, a);
	READ(bits, b);
	READ(bits, c);
	READ(bits, d);
	READ(mixed, b);
	READ(mixed, c);
	READ(mixed, d);
	READ(mixed, f);
	READ(crossing, a);
	READ(crossing, b);
	READ(crossing, c);
	READ(crossing, d);
	READ(crossing, e);
	READ(crossing, f);
	READ(chars, a);
	READ(chars, b);
	READ(chars, c);
	READ(whole, a);
	READ(whole, b);
	READ(whole, c);
	READ(whole, d);
}

/* The first word of the struct after a store to the field. */
#define WRITE(name, field, number)                                                     \
	do {                                                                           \
		union {                                                                \
			struct name s;                                                 \
			uint64_t word;                                                 \
		} u;                                                                   \
		const char *e = "(this->p = (struct " #name " *)copyin(arg0, "         \
				"16), this->p->" #field " = " #number                  \
				", *(unsigned long *)this->p)";                        \
		memcpy(&u, run_memory, sizeof(u));                                     \
		u.s.field = number;                                                    \
		if (value_of(name##_text, e) != u.word)                                \
			fail_msg("%s: not %llx", e, (unsigned long long)u.word);       \
	} while (0)

static void test_writes(void **state)
{
	(void)state;
	WRITE(bits, a, 3);
	WRITE(bits, b, 9);
	WRITE(bits, c, 70000);
	WRITE(bits, d, 0x55);
	WRITE(mixed, b, 77);
	WRITE(mixed, c, -300);
	WRITE(crossing, a, -1);
	WRITE(crossing, b, 0x5a5a5);
	WRITE(chars, a, 5);
	WRITE(chars, b, 31);
	WRITE(chars, c, 1);
	WRITE(whole, a, 0x123456789abcdef0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extents),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
