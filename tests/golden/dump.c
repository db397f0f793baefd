/* SPDX-License-Identifier: MIT */
/*
 * Prints what one pass of the compiler makes of a script:
 *	golden_dump tokens|tree|typed|code SCRIPT.d
 * Every probe description matches, so that no process is needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlang/dlang.h"

static int match_anything(void *ctx, uint32_t clause,
			  const struct dlang_probe_desc *desc, struct err *e)
{
	(void)ctx;
	(void)clause;
	(void)desc;
	(void)e;
	return 0;
}

static int take_option(void *ctx, const char *name, const char *value, struct err *e)
{
	(void)ctx;
	(void)name;
	(void)value;
	(void)e;
	return 0;
}

static bool expand_macro(void *ctx, const char *name, int64_t *value)
{
	(void)ctx;
	*value = 1234;
	return strcmp(name, "target") == 0;
}

static void read_file(const char *path, struct strbuf *text)
{
	FILE *f = fopen(path, "r");
	int c;

	if (!f) {
		perror(path);
		exit(2);
	}
	while ((c = getc(f)) != EOF)
		strbuf_putc(text, (char)c);
	fclose(f);
}

int main(int argc, char **argv)
{
	const struct dlang_env env = {
		.probe = match_anything,
		.option = take_option,
		.macro = expand_macro,
	};
	struct dlang_source src = {.is_file = true, .spec = DLANG_SPEC_NAME};
	struct strbuf out = {0}, text = {0};
	struct dlang *d;
	int rc;

	if (argc != 3) {
		fprintf(stderr, "usage: golden_dump tokens|tree|typed|code SCRIPT.d\n");
		return 2;
	}
	read_file(argv[2], &text);
	src.text = text.data;
	src.name = "script.d";
	src.arg0 = "script.d";
	d = dlang_new(&env);
	rc = dlang_dump(d, &src, argv[1], &out);
	fwrite(out.data, 1, out.len, stdout);
	dlang_free(d);
	strbuf_release(&out);
	strbuf_release(&text);
	return rc ? 1 : 0;
}
