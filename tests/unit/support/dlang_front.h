/* SPDX-License-Identifier: MIT */
/*
 * Running the front passes of the compiler over a text, for the unit tests.
 */
#ifndef TESTS_UNIT_SUPPORT_DLANG_FRONT_H
#define TESTS_UNIT_SUPPORT_DLANG_FRONT_H

#include <stdlib.h>
#include <string.h>

#include "dlang/dlang.h"

struct front_input {
	const char *text;
	struct dlang_options options;
	enum dlang_spec spec;
	bool is_file;
};

int front_probe(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		struct err *e);

int front_option(void *ctx, const char *name, const char *value, struct err *e);

bool front_macro(void *ctx, const char *name, int64_t *value);

/* What a pass makes of the input, with the diagnostics after it. Caller frees. */
char *front_dump(const struct front_input *in, const char *pass);

/* Number of lines, for tables that count diagnostics. */
size_t front_count(const char *text, const char *what);

#endif
