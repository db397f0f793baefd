/* SPDX-License-Identifier: MIT */
#include "tracer/export/export.h"
#include "tracer/export/export_form.h"
#include "tracer/output/format.h"
#include "tracer/output/python_names.h"
#include "vm/agg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct form *export_new(const struct export_config *config)
{
	struct export_form *e;

	switch (config->options->oformat) {
	case OFORMAT_JSON:
		e = json_form_new(config);
		break;
	case OFORMAT_CSV:
		e = csv_form_new(config);
		break;
	case OFORMAT_FOLDED:
		e = folded_form_new(config);
		break;
	default:
		return NULL;
	}
	e->sink = out_new_text(config->out->command);
	return &e->form;
}

void export_free(struct form *f)
{
	struct export_form *e = f ? export_form_of(f) : NULL;

	if (!e)
		return;
	e->release(e);
	strbuf_release(&e->text);
	out_free(e->sink);
	free(e);
}

int export_format(struct export_form *e, const struct format *format,
		  const struct format_args *args)
{
	out_restart(e->sink);
	return format_print(format, args, e->sink);
}

const char *export_source(const struct program_field *f)
{
	switch ((enum program_show)f->show) {
	case SHOW_STACK:
		return "stack";
	case SHOW_USTACK:
		return "ustack";
	case SHOW_JSTACK:
		return "jstack";
	case SHOW_SYM:
		return "sym";
	case SHOW_MOD:
		return "mod";
	case SHOW_USYM:
		return "usym";
	case SHOW_UADDR:
		return "uaddr";
	case SHOW_UMOD:
		return "umod";
	default:
		return "trace";
	}
}

const char *export_function(const struct program_agg *a)
{
	static const char *const names[] = {
#define AGGFUNC(name, words) #name,
#include "vm/agg.def"
#undef AGGFUNC
	};

	return names[a->func];
}

bool export_is_text(const void *image, const struct program_field *f)
{
	const char *type = program_string(image, f->type);

	return strncmp(type, "char ", 5) == 0 || strncmp(type, "char[", 5) == 0;
}

void export_add_frame(struct strbuf *to, const struct ustack_frame *f)
{
	if (to->len)
		strbuf_putc(to, ';');
	if (f->is_python) {
		python_name_add(to, f->function, f->file, f->line);
		return;
	}
	if (f->module)
		strbuf_puts(to, f->module);
	if (f->function)
		strbuf_printf(to, "`%s", f->function);
	else if (!f->module)
		strbuf_printf(to, "0x%" PRIx64, f->address);
	if (f->offset)
		strbuf_printf(to, "+0x%" PRIx64, f->offset);
	if (f->is_inlined)
		strbuf_puts(to, " [inlined]");
}

uint64_t export_time(uint64_t time)
{
	struct timespec ts;

	if (time)
		return time;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The bucket of a negative label has the values down to the next label; others up. */
static struct bucket bucket_of_power(const struct program_agg *a, uint32_t number)
{
	int64_t label = agg_bucket_label(a, number);
	struct bucket b = {number > 0, number + 1 < a->words, label, label};

	if (label < 0 && b.has_min)
		b.min = agg_bucket_label(a, number - 1) + 1;
	if (label > 0 && b.has_max)
		b.max = agg_bucket_label(a, number + 1) - 1;
	return b;
}

struct bucket bucket_of(const struct program_agg *a, uint32_t number)
{
	struct bucket b = {.has_min = number > 0, .has_max = number + 1 < a->words};

	if (a->func == AGG_quantize)
		return bucket_of_power(a, number);
	if (b.has_min)
		b.min = agg_bucket_label(a, number);
	if (b.has_max)
		b.max = agg_bucket_label(a, number + 1) - 1;
	return b;
}
