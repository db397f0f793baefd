/* SPDX-License-Identifier: MIT */
/*
 * The compiler: an input is the text of a program. What it accepts must pass the
 * verifier.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>

#include "tests/unit/support/dlang_front.h"
#include "vm/vm.h"

static void compile(const char *text)
{
	const struct dlang_env env = {
		.probe = front_probe,
		.option = front_option,
		.macro = front_macro,
	};
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;
	struct strbuf messages = {0};
	struct verify_error ve = {0, NULL};
	struct err e = {0};
	void *image = NULL;
	size_t size;

	if (dlang_compile(d, &src, &program, &messages) == 0 &&
	    dlang_link(d, &image, &size, &e) == 0 &&
	    program_verify(image, size, &ve) != 0) {
		fprintf(stderr, "instruction %u: %s\n", ve.insn, ve.text);
		abort();
	}
	free(image);
	strbuf_release(&messages);
	dlang_free(d);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);

	assert(text);
	memcpy(text, data, n);
	text[n] = '\0';
	compile(text);
	free(text);
}
