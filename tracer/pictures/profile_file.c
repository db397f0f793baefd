/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/profile_file.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/consume.h"
#include "tracer/output/out.h"
#include "tracer/output/ustack.h"
#include "tracer/pictures/picture_file.h"
#include "tracer/pictures/profile.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ABSENT UINT32_MAX

struct profile_file {
	struct pictures_config config;
	uint32_t *types; /* by aggregation: its number among those of the profile */
	uint32_t ntypes;
	uint64_t began, start; /* ns: since the epoch; of CLOCK_MONOTONIC */
	struct picture_file file;
	/* while rows are taken */
	struct profile *profile;
	struct ustack *ustack;
	struct strbuf text;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static int choose(struct profile_file *f, struct err *e)
{
	const void *image = f->config.image;
	uint32_t n = program_count(image, SECTION_AGG);

	f->types = oom_calloc(n + (size_t)1, sizeof(*f->types));
	for (uint32_t i = 0; i < n; i++) {
		bool is_taken = agg_has_stacks(image, i);

		f->types[i] = is_taken ? f->ntypes : ABSENT;
		f->ntypes += is_taken;
	}
	if (f->ntypes)
		return 0;
	return err_set(e, STATUS_INVAL,
		       "--pprof needs an aggregation of count() or sum() with a stack "
		       "among its keys, as in @[ustack()] = count()");
}

static int open_file(struct profile_file *f, struct err *e)
{
	const char *path = f->config.options->pprof;
	int rc = picture_file_open(&f->file, path, e);

	if (rc == 0 && isatty(f->file.fd))
		return err_set(e, STATUS_IO,
			       "cannot write a profile to '%s': it is a terminal, a "
			       "profile is no text",
			       path);
	return rc;
}

int profile_file_open(const struct pictures_config *config, struct profile_file **out,
		      struct err *e)
{
	struct profile_file *f = oom_calloc(1, sizeof(*f));
	int rc;

	f->config = *config;
	f->file = PICTURE_FILE_NONE;
	f->began = clock_ns(CLOCK_REALTIME);
	f->start = clock_ns(CLOCK_MONOTONIC);
	rc = choose(f, e);
	if (rc == 0)
		rc = open_file(f, e);
	if (rc) {
		profile_file_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

void profile_file_free(struct profile_file *f)
{
	if (!f)
		return;
	picture_file_close(&f->file);
	profile_free(f->profile);
	strbuf_release(&f->text);
	free(f->types);
	free(f);
}

/* ---- rows ---- */

static void take_frame(void *ctx, const struct ustack_frame *frame)
{
	profile_add_frame(ctx, frame);
}

static void take_label(struct profile_file *f, uint32_t i, const struct tuple_value *v)
{
	char key[24];

	snprintf(key, sizeof(key), "key%" PRIu32, i + 1);
	if (v->field->kind == KIND_INT &&
	    (v->field->is_signed || v->number <= INT64_MAX)) {
		profile_add_number(f->profile, key, (int64_t)v->number);
		return;
	}
	strbuf_reset(&f->text);
	strbuf_puts(&f->text, "");
	agg_key_fold(v, f->ustack, &f->text);
	profile_add_label(f->profile, key, f->text.data, f->text.len);
}

/* One value of any aggregation. Of several stacks the last one has the inner frames. */
static void take_value(void *ctx, const struct agg_value *x)
{
	struct profile_file *f = ctx;
	uint32_t type = f->types[x->number];
	struct tuple_value *keys;
	size_t pos = 0;
	uint32_t n = 0;

	if (type == ABSENT || !x->words || !agg_value_number(x))
		return;
	keys = oom_calloc(x->nkeys, sizeof(*keys));
	while (agg_value_key(x, n, &pos, &keys[n]))
		n++;
	for (uint32_t i = n; i-- > 0;)
		if (ustack_is_stack(&keys[i]))
			ustack_each(f->ustack, &keys[i], 0, take_frame, f->profile);
	for (uint32_t i = 0; i < n; i++)
		if (!ustack_is_stack(&keys[i]))
			take_label(f, i, &keys[i]);
	profile_end_stack(f->profile, type, agg_value_number(x));
	free(keys);
}

/* Units that pprof shows in their multiples have names of its own. */
static const char *unit_of(const char *unit)
{
	static const char *const names[][2] = {{"ns", "nanoseconds"},
					       {"us", "microseconds"},
					       {"ms", "milliseconds"},
					       {"s", "seconds"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(unit, names[i][0]) == 0)
			return names[i][1];
	return unit;
}

static void name_types(const struct profile_file *f)
{
	const char *unit = f->config.options->pprofunit;

	for (uint32_t i = 0; i < program_count(f->config.image, SECTION_AGG); i++) {
		const struct program_agg *a = program_agg(f->config.image, i);
		const char *name = program_string(f->config.image, a->name);
		bool is_count = a->func == AGG_count;

		if (f->types[i] == ABSENT)
			continue;
		if (strcmp(name, "_") == 0)
			name = is_count ? "samples" : "sum";
		profile_value_type(f->profile, f->types[i], name,
				   is_count ? "count" : unit_of(unit ? unit : ""));
	}
}

static bool write_profile(struct profile_file *f, struct out *o)
{
	const struct options *opt = f->config.options;
	const struct profile_facts facts = {
		.has_lines = opt->ustackline,
		.has_inlined = opt->ustackinline,
		.time = f->began,
		.duration = clock_ns(CLOCK_MONOTONIC) - f->start,
	};
	struct strbuf file = {0};
	bool ok = profile_write(f->profile, &facts, &file);

	if (ok)
		ok = picture_file_write(&f->file, &file, o);
	else
		out_message(o, "the profile is too large for '%s'", opt->pprof);
	strbuf_release(&file);
	return ok;
}

bool profile_file_write(struct profile_file *f, struct consumer *c, struct ustack *u,
			struct out *o)
{
	uint64_t nleft_out;

	f->ustack = u;
	f->profile = profile_new(f->ntypes);
	name_types(f);
	consumer_each_value(c, take_value, f);
	for (uint32_t i = 0; i < program_count(f->config.image, SECTION_AGG); i++)
		if (f->types[i] != ABSENT &&
		    f->config.options->stackformat != STACKFORMAT_FOLDED)
			consumer_hide(c, i);
	nleft_out = profile_left_out(f->profile);
	if (nleft_out)
		out_notice(o, "profile: %llu stacks are left out: it is too large",
			   (unsigned long long)nleft_out);
	if (!profile_stacks(f->profile))
		out_message(o, "the profile is empty: no aggregation has a stack");
	return write_profile(f, o);
}
