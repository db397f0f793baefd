/* SPDX-License-Identifier: MIT */
/*
 * Parsing and storing options. Initial values go through the same parser as
 * everything else, so the table is readable and cannot disagree with it.
 */
#include "tracer/base/options.h"
#include "dlang/dlang.h"
#include "tracer/base/rate.h"
#include "vm/base/host/log.h"
#include "vm/base/host/near.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/program.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PRINTSIZE_MAX	65536
#define SCRATCHSIZE_MAX 65536 /* every firing has so much */
#define NSPEC_MAX	65536 /* as many as a block has room for */
#define SNAPSHOTS_MAX	10000

enum kind { FLAG, BOOL, NUMBER, SIZE, RATE, TIME, STRING, OPTIONAL, KEYWORD, LIST };
enum class { COMPILE, COMMAND, RUN, DYNAMIC };
enum support { WORKS, LATER, KERNEL, NEVER };

struct option {
	const char *name;
	enum kind kind;
	enum class class;
	const char *initial;
	enum support support;
	const char *words;
	size_t offset; /* of its member in struct options */
};

static const struct option table[] = {
#define OPTION(name, kind, class, initial, support, words)                             \
	{#name, kind, class, initial, support, words, offsetof(struct options, name)},
#include "tracer/base/options.def"
#undef OPTION
};

/* A parsed value: text for STRING, number for all others. */
struct value {
	uint64_t number;
	const char *text;
};

/* What its values are; NULL: that is not said in a few words. */
static const char *value_form(const struct option *opt)
{
	switch (opt->kind) {
	case FLAG:
		return "it takes no value";
	case BOOL:
		return "it is on or off";
	case NUMBER:
		return "it is a whole number; dtrace(1) has its limits";
	case SIZE:
		return "it is a number of bytes, such as 4096, 512k or 4m";
	case RATE:
		return "it is a time or a rate, such as 500ms or 10hz";
	default:
		return NULL;
	}
}

static int invalid_value(const struct option *opt, struct err *e)
{
	static const char invalid[] = "Invalid value for specified option";
	const char *form = value_form(opt);

	if (opt->kind == TIME)
		return err_set(e, STATUS_INVAL,
			       "a time is a number and its unit, such as 500ms, 5s or "
			       "2m");
	if (opt->words && (opt->kind == KEYWORD || opt->kind == BOOL))
		return err_set(e, STATUS_INVAL, "%s\n\tit is %s%s", invalid,
			       opt->kind == BOOL ? "on, off or one of: " : "one of: ",
			       opt->words);
	return err_set(e, STATUS_INVAL, "%s%s%s", invalid, form ? "\n\t" : "",
		       form ? form : "");
}

static int unknown_name(const char *name, struct err *e)
{
	struct near near;

	near_begin(&near, name, 1);
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		near_offer(&near, table[i].name);
	if (!near_first(&near))
		return err_set(e, STATUS_NOENT, "Invalid option name");
	return err_set(e, STATUS_NOENT, "Invalid option name\n\tdid you mean '%s'?",
		       near_first(&near));
}

/* An unsigned number in C syntax at the start of s; *end is what follows. */
static bool parse_number(const char *s, const char **end, uint64_t *out)
{
	char *rest;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*out = strtoull(s, &rest, 0);
	*end = rest;
	return errno == 0;
}

static bool parse_whole_number(const char *s, uint64_t *out)
{
	const char *end;

	return parse_number(s, &end, out) && *end == '\0';
}

static bool parse_bool(const char *s, uint64_t *out)
{
	static const struct {
		const char *word;
		bool on;
	} words[] = {
		{"", false},	     {"yes", true},	 {"no", false},
		{"enable", true},    {"disable", false}, {"enabled", true},
		{"disabled", false}, {"true", true},	 {"false", false},
		{"on", true},	     {"off", false},	 {"set", true},
		{"unset", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcasecmp(s, words[i].word) == 0) {
			*out = words[i].on;
			return true;
		}
	}
	return parse_whole_number(s, out);
}

static bool parse_size(const char *s, uint64_t *out)
{
	static const char suffixes[] = "kmgt";
	const char *end, *suffix;
	uint64_t unit = 1;

	if (!parse_number(s, &end, out))
		return false;
	if (*end != '\0') {
		suffix = strchr(suffixes, tolower((unsigned char)*end));
		if (!suffix || end[1] != '\0')
			return false;
		unit <<= 10 * (suffix - suffixes + 1);
	}
	return !__builtin_mul_overflow(*out, unit, out);
}

static bool parse_rate(const char *s, uint64_t *out)
{
	const char *end;
	uint64_t unit;

	if (!parse_number(s, &end, out))
		return false;
	if (strcasecmp(end, "hz") == 0) {
		*out = *out ? NSEC_PER_SEC / *out : 0;
		return true;
	}
	unit = *end ? rate_unit(end) : 1;
	return unit && !__builtin_mul_overflow(*out, unit, out);
}

/* A number alone is refused: most people would take it for seconds. */
static bool parse_time(const char *s, uint64_t *out)
{
	const char *end;
	uint64_t unit;

	if (!parse_number(s, &end, out))
		return false;
	unit = rate_unit(end);
	return *out && unit && !__builtin_mul_overflow(*out, unit, out);
}

/* The index of s among blank-separated words. */
static bool parse_keyword(const char *s, const char *words, uint64_t *out)
{
	size_t n = strlen(s);

	*out = 0;
	for (const char *w = words; *w; w += strcspn(w, " "), w += *w == ' ') {
		if (n && strcspn(w, " ") == n && strncmp(w, s, n) == 0)
			return true;
		++*out;
	}
	return false;
}

/* The parser of each kind; text is NULL when no value was given. */
static bool parse_value(const struct option *opt, const char *text, struct value *v)
{
	v->number = 1;
	v->text = text;
	if (opt->kind == FLAG)
		return text == NULL;
	if (opt->kind == BOOL && !text)
		return true;
	if (opt->kind == OPTIONAL && !text)
		v->text = "";
	if (!v->text)
		return false;
	switch (opt->kind) {
	case BOOL:
		if (opt->words && parse_keyword(text, opt->words, &v->number)) {
			v->number += 2;
			return true;
		}
		return parse_bool(text, &v->number);
	case NUMBER:
		return parse_whole_number(text, &v->number);
	case SIZE:
		return parse_size(text, &v->number);
	case RATE:
		return parse_rate(text, &v->number);
	case TIME:
		return parse_time(text, &v->number);
	case KEYWORD:
		return parse_keyword(text, opt->words, &v->number);
	default:
		return true;
	}
}

/* False for a value that parses but makes no sense. */
static bool is_in_range(const struct option *opt, const struct value *v)
{
	switch (opt->offset) {
	case offsetof(struct options, iregs):
	case offsetof(struct options, tregs):
	case offsetof(struct options, maxframes):
		return v->number > 0;
	case offsetof(struct options, strsize):
		return v->number > 0 && v->number <= PROGRAM_STRSIZE_MAX;
	case offsetof(struct options, printsize):
		return v->number <= PRINTSIZE_MAX;
	case offsetof(struct options, scratchsize):
		return v->number <= SCRATCHSIZE_MAX;
	case offsetof(struct options, snapshots):
		return v->number <= SNAPSHOTS_MAX;
	case offsetof(struct options, nspec):
		return v->number <= NSPEC_MAX;
	case offsetof(struct options, setenv):
		return v->text[0] != '=' && strchr(v->text, '=');
	case offsetof(struct options, unsetenv):
		return v->text[0] && !strchr(v->text, '=');
	case offsetof(struct options, amin):
		return dlang_is_stability(v->text);
	default:
		return true;
	}
}

static char *copy_text(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(oom_realloc(NULL, n), s, n);
}

static void store(struct options *o, const struct option *opt, const struct value *v)
{
	void *member = (char *)o + opt->offset;

	switch (opt->kind) {
	case FLAG:
		*(bool *)member = v->number;
		break;
	case STRING:
	case OPTIONAL:
		free(*(char **)member);
		*(char **)member = NULL;
		if (v->text)
			*(char **)member = copy_text(v->text);
		break;
	case LIST:
		if (!v->text)
			break;
		++*(uint32_t *)member;
		*vec_push(&o->words) =
			(struct option_word){opt->name, copy_text(v->text)};
		break;
	default:
		*(uint64_t *)member = v->number;
	}
}

static void initial_value(const struct option *opt, struct value *v)
{
	bool ok = true;

	*v = (struct value){0};
	if (opt->initial)
		ok = parse_value(opt, opt->initial, v);
	assert(ok);
}

void options_init(struct options *o)
{
	struct value v;

	*o = (struct options){0};
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		initial_value(&table[i], &v);
		store(o, &table[i], &v);
	}
}

void options_release(struct options *o)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].kind == STRING || table[i].kind == OPTIONAL)
			free(*(char **)((char *)o + table[i].offset));
	for (size_t i = 0; i < o->words.len; i++)
		free(o->words.data[i].text);
	vec_release(&o->words);
	*o = (struct options){0};
}

/* Once lowered, the version of the language cannot be raised again. */
static int check_version(const struct options *o, const char *text, struct err *e)
{
	uint32_t now = 0, wanted;
	int rc = dlang_version(text, &wanted);

	if (rc == STATUS_NOENT)
		return err_set(e, rc, "Requested version is not supported by compiler");
	if (rc)
		return err_set(e, rc,
			       "Version is not properly formatted or is too large");
	dlang_version(o->version, &now);
	if (wanted > now)
		return err_set(e, STATUS_BUSY,
			       "Requested version conflicts with earlier setting");
	return 0;
}

static const struct option *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* Whether an option may be set from this source at this time. */
static int check_source(const struct options *o, const struct option *opt,
			enum option_source from, struct err *e)
{
	if (opt->class == COMMAND && from != OPTION_FROM_COMMAND)
		return err_set(e, STATUS_PERM,
			       "Option cannot be used from within a D program");
	if (opt->class == RUN && o->is_active)
		return err_set(e, STATUS_BUSY,
			       "Operation illegal when tracing is active");
	return 0;
}

/* Refuses an option that is not supported, unless the value asks for what happens
 * anyway. */
static int check_support(const struct option *opt, const struct value *v, struct err *e)
{
	struct value initial;

	initial_value(opt, &initial);
	if (opt->support == WORKS)
		return 0;
	if (opt->kind == STRING && initial.text && strcmp(v->text, initial.text) == 0)
		return 0;
	if (opt->kind != STRING && opt->initial && v->number == initial.number)
		return 0;
	if (opt->kind == BOOL && !v->number)
		return 0;
	if (opt->support == KERNEL)
		return err_set(e, STATUS_UNSUP,
			       "option '%s' has no meaning in user-mode tracing",
			       opt->name);
	if (opt->support == NEVER)
		return err_set(e, STATUS_UNSUP, "option '%s' is not supported: %s",
			       opt->name, opt->words);
	return err_set(e, STATUS_UNSUP, "option '%s' is not supported yet", opt->name);
}

int options_set(struct options *o, enum option_source from, const char *name,
		const char *value, struct err *e)
{
	const struct option *opt = find(name);
	struct value v;
	int rc;

	if (!opt)
		return unknown_name(name, e);
	rc = check_source(o, opt, from, e);
	if (rc)
		return rc;
	if (!parse_value(opt, value, &v) || !is_in_range(opt, &v))
		return invalid_value(opt, e);
	if (from == OPTION_FROM_SETOPT && opt->class == COMPILE)
		return 0;
	rc = check_support(opt, &v, e);
	if (rc == 0 && opt->offset == offsetof(struct options, version))
		rc = check_version(o, value, e);
	if (rc)
		return rc;
	store(o, opt, &v);
	if (opt->offset == offsetof(struct options, debug))
		log_enable();
	return 0;
}

/* Moves an interval into [least, most]; text becomes the message, empty for no change. */
static void clamp(uint64_t *rate, uint64_t least, uint64_t most, const char *what,
		  struct strbuf *text)
{
	uint64_t old = *rate;

	*rate = old < least ? least : old > most ? most : old;
	strbuf_reset(text);
	if (*rate == old)
		return;
	strbuf_printf(text, "%s rate %s to ", what,
		      *rate > old ? "reduced" : "increased");
	if (*rate <= NSEC_PER_SEC && NSEC_PER_SEC % *rate == 0)
		strbuf_printf(text, "%" PRIu64 " hz", NSEC_PER_SEC / *rate);
	else if (*rate % NSEC_PER_SEC == 0)
		strbuf_printf(text, "once every %" PRIu64 " seconds",
			      *rate / NSEC_PER_SEC);
	else
		strbuf_printf(text, "once every %" PRIu64 " nanoseconds", *rate);
}

void options_clamp(struct options *o, void (*report)(void *ctx, const char *text),
		   void *ctx)
{
	struct strbuf text = {0};

	clamp(&o->cleanrate, NSEC_PER_SEC / 5000, 60 * NSEC_PER_SEC, "cleaning", &text);
	if (text.len)
		report(ctx, text.data);
	clamp(&o->statusrate, 0, 10 * NSEC_PER_SEC, "status", &text);
	if (text.len)
		report(ctx, text.data);
	strbuf_release(&text);
}
