/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/dlang_front.h"

int front_probe(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		struct err *e)
{
	(void)ctx;
	(void)clause;
	(void)desc;
	(void)e;
	return 0;
}

int front_option(void *ctx, const char *name, const char *value, struct err *e)
{
	(void)ctx;
	(void)value;
	if (strcmp(name, "nosuch") == 0)
		return err_set(e, STATUS_INVAL, "Invalid option name");
	return 0;
}

bool front_macro(void *ctx, const char *name, int64_t *value)
{
	(void)ctx;
	*value = strcmp(name, "below") == 0 ? INT64_MIN : 1234;
	return strcmp(name, "target") == 0 || strcmp(name, "below") == 0;
}

static bool front_has(void *ctx, const char *class, const char *name)
{
	(void)ctx;
	return strcmp(class, "provider") == 0 && strcmp(name, "pid") == 0;
}

char *front_dump(const struct front_input *in, const char *pass)
{
	const struct dlang_env env = {
		.probe = front_probe,
		.option = front_option,
		.macro = front_macro,
		.has = front_has,
	};
	const struct dlang_source src = {
		.text = in->text,
		.name = in->is_file ? "x.d" : "ARG",
		.arg0 = in->is_file ? "./x.d" : "dtrace",
		.is_file = in->is_file,
		.spec = in->spec,
	};
	struct dlang *d = dlang_new(&env);
	struct strbuf out = {0};

	*dlang_options(d) = in->options;
	strbuf_puts(&out, "");
	dlang_dump(d, &src, pass, &out);
	dlang_free(d);
	return out.data;
}

size_t front_count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}
