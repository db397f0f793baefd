/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/tracepoints.h"
#include "tracer/events/asked.h"
#include "tracer/recording/own_events.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a return: the offset, and two words of the result. */
#define RETURN_ARGS 3

/* ---- which there are ---- */

static uint32_t add(struct tracepoints *ts, const char *system, const char *name)
{
	struct strbuf key = {0};

	strbuf_printf(&key, "%s:%s", system, name);
	*vec_push(&ts->list) = (struct tracepoint){
		.system = oom_strdup(system),
		.name = oom_strdup(name),
		.nargs = strcmp(name, "return") == 0 ? RETURN_ARGS : OWN_ARGS_MAX,
	};
	strmap_set(&ts->numbers, key.data, ts->list.len - 1);
	strbuf_release(&key);
	return (uint32_t)ts->list.len - 1;
}

void tracepoints_init(struct tracepoints *ts)
{
	static const char *const own[TRACEPOINT_FIRST] = {
		[TRACEPOINT_RECORDING] = OWN_RECORDING,
		[TRACEPOINT_PROBE] = OWN_PROBE,
		[TRACEPOINT_DESCRIPTION] = OWN_DESCRIPTION,
		[TRACEPOINT_OTHER] = OWN_OTHER,
		[TRACEPOINT_ASKED] = OWN_ASKED,
		[TRACEPOINT_PYTHON] = OWN_PYTHON,
	};

	for (int i = 0; i < TRACEPOINT_FIRST; i++)
		add(ts, OWN_SYSTEM, own[i]);
}

void tracepoints_release(struct tracepoints *ts)
{
	for (size_t i = 0; i < ts->list.len; i++) {
		free(ts->list.data[i].system);
		free(ts->list.data[i].name);
		free(ts->list.data[i].format);
	}
	vec_release(&ts->list);
	strmap_release(&ts->numbers);
}

/* A name in a format: other programs take it apart at blanks and colons. */
static void put_name(struct strbuf *to, const char *name, size_t n)
{
	size_t from = to->len;

	for (size_t i = 0; i < n && i < 64; i++)
		strbuf_putc(to, isalnum((unsigned char)name[i]) ? name[i] : '_');
	if (to->len == from)
		strbuf_putc(to, '_');
}

/* The provider without the number of a process. */
static size_t provider_length(const char *provider)
{
	size_t n = strlen(provider), end = n;

	while (n > 0 && isdigit((unsigned char)provider[n - 1]))
		n--;
	return n ? n : end;
}

uint32_t tracepoints_of(struct tracepoints *ts, const char *provider, const char *name,
			bool may_add)
{
	struct strbuf key = {0};
	size_t colon;
	uint64_t number;

	put_name(&key, provider, provider_length(provider));
	colon = key.len;
	strbuf_putc(&key, ':');
	put_name(&key, name, strlen(name));
	if (!strmap_get(&ts->numbers, key.data, &number)) {
		number = TRACEPOINT_OTHER;
		if (may_add && ts->list.len < TRACEPOINTS_MAX) {
			key.data[colon] = '\0';
			number = add(ts, key.data, key.data + colon + 1);
		}
	}
	strbuf_release(&key);
	return (uint32_t)number;
}

uint32_t tracepoints_add_kernel(struct tracepoints *ts,
				const struct origin_event *event, const char *format)
{
	struct tracepoint *t = vec_push(&ts->list);

	*t = (struct tracepoint){.system = oom_strdup(event->system),
				 .name = oom_strdup(event->name),
				 .is_kernel = true,
				 .event = *event,
				 .format = oom_strdup(format)};
	t->event.system = t->system;
	t->event.name = t->name;
	return (uint32_t)ts->list.len - 1;
}

uint32_t tracepoints_id(const struct tracepoints *ts, uint32_t number)
{
	const struct tracepoint *t = &ts->list.data[number];

	return t->is_kernel ? t->event.id : OWN_ID_FIRST + number;
}

/* ---- formats ---- */

/* The text of one, as events/SYSTEM/NAME/format of tracefs has it. */
struct format {
	struct strbuf text;
	uint32_t at; /* where the next field is */
};

static void add_field(struct format *f, const char *type, const char *name,
		      uint32_t size)
{
	strbuf_printf(&f->text, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		      type, name, f->at, size);
	f->at += size;
}

static void add_text(struct format *f, const char *name)
{
	add_field(f, "__data_loc char[]", name, 4);
}

static void begin(struct format *f, const struct tracepoint *t, uint32_t number)
{
	strbuf_printf(
		&f->text,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;"
		"\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		t->name, OWN_ID_FIRST + number);
	f->at = 8;
}

static void add_arguments(struct format *f, uint32_t n)
{
	char name[16];

	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		add_field(f, "u64", name, 8);
	}
}

static void print_arguments(struct format *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		strbuf_printf(&f->text, ", REC->arg%u", i);
	strbuf_putc(&f->text, '\n');
}

/* Padding keeps the words aligned. */
static void add_probe(struct format *f, const struct tracepoint *t, bool is_other)
{
	add_field(f, "u32", OWN_FIELD_NUMBER, 4);
	add_text(f, OWN_FIELD_MODULE);
	add_text(f, OWN_FIELD_FUNCTION);
	add_field(f, "__data_loc u8[]", OWN_FIELD_CONTEXT, 4);
	if (is_other) {
		add_text(f, OWN_FIELD_PROVIDER);
		add_text(f, OWN_FIELD_NAME);
	}
	add_arguments(f, t->nargs);
	strbuf_puts(&f->text,
		    is_other ? "\nprint fmt: \"%s:%s:%s:%s" : "\nprint fmt: \"%s`%s");
	for (uint32_t i = 0; i < t->nargs; i++)
		strbuf_puts(&f->text, i ? ", 0x%llx" : " (0x%llx");
	strbuf_puts(&f->text, t->nargs ? ")\"" : "\"");
	if (is_other)
		strbuf_puts(&f->text, ", __get_str(" OWN_FIELD_PROVIDER ")");
	strbuf_puts(&f->text, ", __get_str(" OWN_FIELD_MODULE
			      "), __get_str(" OWN_FIELD_FUNCTION ")");
	if (is_other)
		strbuf_puts(&f->text, ", __get_str(" OWN_FIELD_NAME ")");
	print_arguments(f, t->nargs);
}

static void add_definition(struct format *f)
{
	add_field(f, "u32", OWN_FIELD_NUMBER, 4);
	add_text(f, OWN_FIELD_PROVIDER);
	add_text(f, OWN_FIELD_MODULE);
	add_text(f, OWN_FIELD_FUNCTION);
	add_text(f, OWN_FIELD_NAME);
	add_text(f, OWN_FIELD_TYPES);
	add_field(f, "u32", OWN_FIELD_KERNEL, 4);
	strbuf_puts(&f->text, "\nprint fmt: \"%u is %s:%s:%s:%s\", REC->number, "
			      "__get_str(provider), __get_str(module), "
			      "__get_str(function), __get_str(name)\n");
}

static void add_python(struct format *f)
{
	add_field(f, "u64", OWN_FIELD_WORD, 8);
	add_field(f, "u32", OWN_FIELD_LINE, 4);
	add_text(f, OWN_FIELD_FUNCTION);
	add_text(f, OWN_FIELD_FILE);
	strbuf_puts(&f->text, "\nprint fmt: \"%llx is %s (%s:%u)\", REC->word, "
			      "__get_str(function), __get_str(file), REC->line\n");
}

static void add_description(struct format *f)
{
	add_field(f, "u32", OWN_FIELD_FIRST, 4);
	add_field(f, "u32", OWN_FIELD_LAST, 4);
	add_text(f, OWN_FIELD_TEXT);
	strbuf_puts(&f->text, "\nprint fmt: \"%s: %u to %u\", __get_str(text), "
			      "REC->first, REC->last\n");
}

static void make(struct format *f, const struct tracepoints *ts, uint32_t number)
{
	const struct tracepoint *t = &ts->list.data[number];

	strbuf_reset(&f->text);
	if (t->is_kernel) {
		strbuf_puts(&f->text, t->format);
		return;
	}
	begin(f, t, number);
	switch (number) {
	case TRACEPOINT_RECORDING:
		add_text(f, OWN_FIELD_TEXT);
		strbuf_puts(&f->text, "\nprint fmt: \"%s\", __get_str(text)\n");
		break;
	case TRACEPOINT_PROBE:
		add_definition(f);
		break;
	case TRACEPOINT_DESCRIPTION:
		add_description(f);
		break;
	case TRACEPOINT_PYTHON:
		add_python(f);
		break;
	case TRACEPOINT_ASKED:
		add_field(f, "__data_loc u8[]", ASKED_FIELD, 4);
		strbuf_puts(&f->text, "\nprint fmt: \"%s\", \"\"\n");
		break;
	default:
		add_probe(f, t, number == TRACEPOINT_OTHER);
	}
}

uint32_t tracepoint_fixed(const struct tracepoints *ts, uint32_t number)
{
	struct format f = {0};

	make(&f, ts, number);
	strbuf_release(&f.text);
	return f.at;
}

static void put_number(struct strbuf *out, uint64_t value, size_t size)
{
	strbuf_add(out, &value, size);
}

/* A text with its length, n bytes, before it. */
static void put_counted(struct strbuf *out, const char *text, size_t n)
{
	size_t length = strlen(text);

	put_number(out, length, n);
	strbuf_add(out, text, length);
}

/* Samples have no format. */
static bool is_of(const struct tracepoint *t, const char *system)
{
	return t->system && strcmp(t->system, system) == 0;
}

static size_t count_of(const struct tracepoints *ts, const char *system)
{
	size_t n = 0;

	for (size_t i = 0; i < ts->list.len; i++)
		n += is_of(&ts->list.data[i], system);
	return n;
}

static bool is_first(const struct tracepoints *ts, size_t i)
{
	if (!ts->list.data[i].system)
		return false;
	for (size_t k = 0; k < i; k++)
		if (is_of(&ts->list.data[k], ts->list.data[i].system))
			return false;
	return true;
}

static void put_system(const struct tracepoints *ts, const char *system,
		       struct strbuf *out)
{
	struct format f = {0};

	strbuf_add(out, system, strlen(system) + 1);
	put_number(out, count_of(ts, system), 4);
	for (uint32_t i = 0; i < ts->list.len; i++) {
		if (!is_of(&ts->list.data[i], system))
			continue;
		make(&f, ts, i);
		put_counted(out, f.text.data, 8);
	}
	strbuf_release(&f.text);
}

/* trace-cmd.dat(5), up to the options. */
void tracepoints_formats(const struct tracepoints *ts, struct strbuf *out)
{
	static const char magic[] = "\x17\x08\x44tracing0.6";
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	size_t nsystems = 0;

	strbuf_add(out, magic, sizeof(magic));
	put_number(out, 0, 1); /* little-endian */
	put_number(out, sizeof(long), 1);
	put_number(out, (uint64_t)sysconf(_SC_PAGESIZE), 4);
	strbuf_add(out, "header_page", sizeof("header_page"));
	put_counted(out, page, 8);
	strbuf_add(out, "header_event", sizeof("header_event"));
	put_counted(out, "", 8);
	put_number(out, 0, 4); /* ftrace's own */
	for (size_t i = 0; i < ts->list.len; i++)
		nsystems += is_first(ts, i);
	put_number(out, nsystems, 4);
	for (size_t i = 0; i < ts->list.len; i++)
		if (is_first(ts, i))
			put_system(ts, ts->list.data[i].system, out);
	put_number(out, 0, 4); /* kallsyms */
	put_number(out, 0, 4); /* formats of printk */
	put_number(out, 0, 8); /* names of threads */
}
