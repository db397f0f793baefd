/* SPDX-License-Identifier: MIT */
#include "cmd/diff_stacks.h"

#include <jansson.h>
#include <string.h>

/* ---- frames ---- */

/* A name between the semicolons of a line. */
static void put_name(struct strbuf *to, const char *name)
{
	for (; *name; name++)
		strbuf_putc(to, *name == ';' ? ',' : *name == '\n' ? ' ' : *name);
}

static const char *text_of(const json_t *frame, const char *member)
{
	return json_string_value(json_object_get(frame, member));
}

/* Of Python: "function (file:line)"; else "module`function", or the address. */
static void put_frame(struct strbuf *to, const json_t *frame)
{
	const char *module = text_of(frame, "module"), *file = text_of(frame, "file");
	const char *function = text_of(frame, "function");
	const char *address = text_of(frame, "address");
	const char *name = function ? function : address;

	if (module) {
		put_name(to, module);
		strbuf_putc(to, '`');
	}
	put_name(to, name ? name : "?");
	if (module || !file)
		return;
	strbuf_puts(to, " (");
	put_name(to, file);
	strbuf_printf(to, ":%lld)",
		      (long long)json_integer_value(json_object_get(frame, "line")));
}

/* From the root to the leaf. */
static void put_stack(struct strbuf *to, const json_t *stack)
{
	const size_t n = json_array_size(stack);

	if (!n)
		strbuf_puts(to, "[no stack]");
	for (size_t i = n; i-- > 0;) {
		put_frame(to, json_array_get(stack, i));
		strbuf_puts(to, i ? ";" : "");
	}
}

/* Another key is a frame, too. */
static void put_key(struct strbuf *to, const json_t *key)
{
	char *text;

	if (json_is_object(key)) {
		put_frame(to, key);
	} else if (json_is_string(key)) {
		put_name(to, json_string_value(key));
	} else {
		text = json_dumps(key, JSON_COMPACT | JSON_ENCODE_ANY);
		put_name(to, text ? text : "?");
		free(text);
	}
}

/* ---- rows ---- */

/* The keys of a row, to json_decref(); NULL: they are none. */
static json_t *keys_of(const struct diff_row *r)
{
	struct strbuf text = {0};
	json_t *keys;

	strbuf_printf(&text, "[%s]", r->keys);
	keys = json_loads(text.data, 0, NULL);
	strbuf_release(&text);
	return keys;
}

static bool has_stack(const json_t *keys)
{
	for (size_t i = 0; i < json_array_size(keys); i++)
		if (json_is_array(json_array_get(keys, i)))
			return true;
	return false;
}

static bool is_drawn(const struct diff_row *r)
{
	const char *function = strrchr(r->name, ' ');
	json_t *keys;
	bool is;

	if (r->label || !function ||
	    (strcmp(function, " count") != 0 && strcmp(function, " sum") != 0))
		return false;
	keys = keys_of(r);
	is = has_stack(keys);
	json_decref(keys);
	return is;
}

const char *diff_stacks_name(const struct diff_table *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (is_drawn(&t->data[i]))
			return t->data[i].name;
	return NULL;
}

/* What is no stack stands before the stacks. */
static void put_row(struct strbuf *to, const json_t *keys, long long value)
{
	const size_t begin = to->len;

	for (int wants_stacks = 0; wants_stacks < 2; wants_stacks++)
		for (size_t i = 0; i < json_array_size(keys); i++) {
			const json_t *key = json_array_get(keys, i);

			if (json_is_array(key) != wants_stacks)
				continue;
			strbuf_puts(to, to->len > begin ? ";" : "");
			if (wants_stacks)
				put_stack(to, key);
			else
				put_key(to, key);
		}
	strbuf_printf(to, " %lld\n", value);
}

size_t diff_stacks_fold(const struct diff_table *t, int which, const char *name,
			struct strbuf *to)
{
	size_t n = 0;

	for (size_t i = 0; i < t->len; i++) {
		const struct diff_row *r = &t->data[i];
		json_t *keys;

		if (r->label || strcmp(r->name, name) != 0 || r->value[which].n <= 0)
			continue;
		keys = keys_of(r);
		put_row(to, keys, r->value[which].n);
		json_decref(keys);
		n++;
	}
	return n;
}
