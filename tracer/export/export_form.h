/* SPDX-License-Identifier: MIT */
/*
 * Private to this folder: what its forms have in common.
 */
#ifndef TRACER_EXPORT_EXPORT_FORM_H
#define TRACER_EXPORT_EXPORT_FORM_H

#include "tracer/export/export_config.h"
#include "tracer/output/form.h"
#include "vm/base/host/strbuf.h"

struct export_form {
	struct form form; /* first */
	struct export_config config;
	void (*release)(struct export_form *e); /* frees what is in it, not itself */
	struct out *sink;			/* formats the text of printf() */
	struct strbuf text;
};

static inline struct export_form *export_form_of(struct form *f)
{
	return (struct export_form *)(void *)f;
}

/* Each allocates its form; ops and release are set. */
struct export_form *json_form_new(const struct export_config *config);
struct export_form *csv_form_new(const struct export_config *config);
struct export_form *folded_form_new(const struct export_config *config);

/* The text of a printf(), in e->sink until the next call. As format_print(). */
int export_format(struct export_form *e, const struct format *format,
		  const struct format_args *args);
/* The name of the action or function that made a value of a field: "usym"; "trace". */
const char *export_source(const struct program_field *f);
/* "count", "quantize" ... */
const char *export_function(const struct program_agg *a);
/* Whether the bytes of a field are characters: an array of char. */
bool export_is_text(const void *image, const struct program_field *f);
/* Appends a frame as in DTrace's text, after a ; if it is not the first. */
void export_add_frame(struct strbuf *to, const struct ustack_frame *f);
/* The time of rows: that of their record, or now. */
uint64_t export_time(uint64_t time);

/* The values that a bucket of a histogram counts: from min to max, both included. */
struct bucket {
	bool has_min, has_max;
	int64_t min, max;
};
struct bucket bucket_of(const struct program_agg *a, uint32_t number);

#endif
