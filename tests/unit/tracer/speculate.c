/* SPDX-License-Identifier: MIT */
/* Speculative records between ring and output: kept, ended, forgotten. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/records/speculate.h"

#define NAME(generation, number) ((uint64_t)(generation) << 32 | (number))
#define KEEP(generation, number, id)                                                   \
	{                                                                              \
		RECORD_DATA, NAME(generation, number), id                              \
	}
#define COMMIT(generation, number)                                                     \
	{                                                                              \
		RECORD_COMMIT, NAME(generation, number), 0                             \
	}
#define DISCARD(generation, number)                                                    \
	{                                                                              \
		RECORD_DISCARD, NAME(generation, number), 0                            \
	}

struct step {
	enum record_kind kind;
	uint64_t spec;
	uint32_t id; /* of a record: its clause */
};

struct seen {
	char text[256];
};

static void see(void *ctx, const struct record *r, const struct record *next)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	snprintf(s->text + n, sizeof(s->text) - n, "%u%s", r->clause, next ? " " : ";");
}

/* What is printed by steps, with room for three records of each generation. */
static void test_steps(void **state)
{
	static const struct {
		struct step steps[12];
		const char *expected;
	} cases[] = {
		{{KEEP(0, 1, 1), KEEP(0, 1, 2), COMMIT(0, 1)}, "1 2;"},
		{{KEEP(0, 1, 1), DISCARD(0, 1), COMMIT(0, 1)}, ""},
		{{COMMIT(0, 1)}, ""},
		{{KEEP(0, 1, 1), COMMIT(0, 1), COMMIT(0, 1)}, "1;"},
		{{KEEP(0, 1, 1), KEEP(0, 2, 2), COMMIT(0, 2), COMMIT(0, 1)}, "2;1;"},
		/* what comes after the end */
		{{KEEP(0, 1, 1), COMMIT(0, 1), KEEP(0, 1, 2), COMMIT(0, 1)}, "1;"},
		{{DISCARD(0, 1), KEEP(0, 1, 2), COMMIT(0, 1)}, ""},
		/* generations side by side */
		{{KEEP(0, 1, 1), KEEP(1, 1, 2), KEEP(0, 1, 3), COMMIT(0, 1),
		  COMMIT(1, 1)},
		 "1 3;2;"},
		{{KEEP(0, 1, 1), KEEP(1, 1, 2), COMMIT(1, 1), COMMIT(0, 1)}, "2;1;"},
		/* of five generations the oldest goes */
		{{KEEP(0, 1, 1), KEEP(1, 1, 2), KEEP(2, 1, 3), KEEP(3, 1, 4),
		  KEEP(4, 1, 5), COMMIT(0, 1), COMMIT(1, 1), COMMIT(4, 1)},
		 "2;5;"},
		/* no more than there can be */
		{{KEEP(0, 1, 1), KEEP(0, 1, 2), KEEP(0, 1, 3), KEEP(0, 1, 4),
		  COMMIT(0, 1)},
		 "1 2 3;"},
		/* no such number: a spoilt ring */
		{{KEEP(0, 3, 1), COMMIT(0, 3), KEEP(0, 0, 1), COMMIT(0, 0)}, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct speculations s;
		struct seen seen = {""};

		speculations_init(&s, 2, sizeof(struct record));
		for (const struct step *p = cases[i].steps; p->kind; p++) {
			struct record r = {.size = sizeof(r),
					   .kind = (uint16_t)p->kind,
					   .clause = p->id,
					   .spec = p->spec};

			if (p->kind == RECORD_DATA)
				speculations_keep(&s, &r, 3);
			else
				speculations_end(&s, &r, see, &seen);
		}
		if (strcmp(seen.text, cases[i].expected) != 0)
			fail_msg("case %zu: %s", i, seen.text);
		speculations_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
