/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/heatmap_file.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/consume.h"
#include "tracer/aggs/hist.h"
#include "tracer/output/out.h"
#include "tracer/pictures/picture_file.h"
#include "tracer/pictures/heatmap_svg.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"
#include "vm/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No interval is shorter: printa() of several records at once makes one. */
#define INTERVAL_MIN UINT64_C(1000000) /* ns */

struct heatmap_file {
	struct pictures_config config;
	uint32_t agg; /* the one that is drawn */
	struct heatmap map;
	bool by_printa;
	uint64_t next; /* the end of the interval, unless printa() ends it */
	time_t began;
	struct picture_file file;
};

/* CLOCK_MONOTONIC */
static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static int choose(struct heatmap_file *f, struct err *e)
{
	uint32_t n = program_count(f->config.image, SECTION_AGG);

	for (f->agg = 0; f->agg < n; f->agg++) {
		const struct program_agg *a = program_agg(f->config.image, f->agg);

		if (!a->variant_of && hist_is(a))
			return 0;
	}
	return err_set(e, STATUS_INVAL,
		       "--heatmap needs an aggregation of quantize(), lquantize() or "
		       "llquantize(), as in @ = quantize(arg0)");
}

/* Whether the action is a printa() of the aggregation. */
static bool is_printa(const struct heatmap_file *f, uint32_t action)
{
	const void *image = f->config.image;
	const uint32_t *operands = program_section(image, SECTION_OPERAND);
	const struct program_action *a = program_action(image, action);

	if (a->kind != ACTION_printa)
		return false;
	for (uint32_t i = 0; i < a->noperands; i++)
		if (program_agg_primary(image, operands[a->first_operand + i]) ==
		    f->agg)
			return true;
	return false;
}

static bool clause_prints(const struct heatmap_file *f, uint32_t number)
{
	const struct program_clause *c = program_clause(f->config.image, number);
	const insn_t *code = program_section(f->config.image, SECTION_CODE);

	for (uint32_t i = c->first; i < c->first + c->count; i++)
		if (isa_op(code[i]) == OP_REC &&
		    is_printa(f, (uint32_t)isa_imm(code[i])))
			return true;
	return false;
}

/* Whether a clause of a tick probe prints the aggregation. */
static bool is_printed_by_clock(const struct heatmap_file *f)
{
	const struct probes *ps = f->config.probes;

	for (size_t i = 0; i < ps->table.len; i++) {
		const struct probe *p = &ps->table.data[i];

		if (!p->nenablings || !f->config.is_clock(f->config.ctx, p))
			continue;
		for (size_t k = 0; k < p->nenablings; k++)
			if (clause_prints(f, probe_enablings(p)[k].clause))
				return true;
	}
	return false;
}

int heatmap_file_open(const struct pictures_config *config, struct heatmap_file **out,
		      struct err *e)
{
	struct heatmap_file *f = oom_calloc(1, sizeof(*f));
	int rc;

	f->config = *config;
	f->file = PICTURE_FILE_NONE;
	rc = choose(f, e);
	if (rc == 0)
		rc = picture_file_open(&f->file, config->options->heatmap, e);
	if (rc) {
		heatmap_file_free(f);
		return rc;
	}
	f->by_printa = is_printed_by_clock(f);
	f->next = UINT64_MAX;
	heatmap_init(&f->map, program_agg(config->image, f->agg), now_ns());
	*out = f;
	return 0;
}

void heatmap_file_free(struct heatmap_file *f)
{
	if (!f)
		return;
	picture_file_close(&f->file);
	heatmap_release(&f->map);
	free(f);
}

/* ---- intervals ---- */

static void plan_next(struct heatmap_file *f, uint64_t now)
{
	f->next = f->by_printa
			  ? UINT64_MAX
			  : now + max_u64(f->config.options->aggrate, INTERVAL_MIN);
}

void heatmap_file_start(struct heatmap_file *f, uint64_t now)
{
	f->map.from = f->map.to = now;
	f->began = time(NULL);
	plan_next(f, now);
}

static void take_value(void *ctx, const struct agg_value *x)
{
	struct heatmap_file *f = ctx;

	if (x->number == f->agg && x->words)
		heatmap_add(&f->map, x->words);
}

static void end_interval(struct heatmap_file *f, struct consumer *c, uint64_t now)
{
	consumer_each_value(c, take_value, f);
	heatmap_end(&f->map, now);
}

uint64_t heatmap_file_wakeup(const struct heatmap_file *f)
{
	return f->next;
}

void heatmap_file_serve(struct heatmap_file *f, struct consumer *c, uint64_t now)
{
	if (now < f->next)
		return;
	end_interval(f, c, now);
	plan_next(f, f->next);
	if (f->next <= now)
		plan_next(f, now);
}

/* Whether a record has such a printa(). */
static bool has_printa(const struct heatmap_file *f, const struct record *r)
{
	const char *p = (const char *)(r + 1), *end = (const char *)r + r->size;
	struct record_item item;

	while (p < end) {
		memcpy(&item, p, sizeof(item));
		if (is_printa(f, item.action))
			return true;
		p += sizeof(item) + item.size;
	}
	return false;
}

void heatmap_file_record(struct heatmap_file *f, struct consumer *c,
			 const struct record *r)
{
	uint64_t now = now_ns();

	if (f->by_printa && now > f->map.to + INTERVAL_MIN && has_printa(f, r))
		end_interval(f, c, now);
}

void heatmap_file_removed(struct heatmap_file *f, const struct agg_value *x)
{
	if (x->number == f->agg && x->words)
		heatmap_remove(&f->map, x->words);
}

/* ---- the file ---- */

static bool draw(struct heatmap_file *f, struct out *o)
{
	const struct options *opt = f->config.options;
	const char *name = program_string(f->config.image,
					  program_agg(f->config.image, f->agg)->name);
	struct strbuf title = {0}, svg = {0};
	struct heatmap_picture picture = {
		.map = &f->map, .unit = opt->heatmapunit ? opt->heatmapunit : ""};
	char began[64] = "the start";
	struct tm tm;
	bool ok;

	if (strcmp(name, "_"))
		strbuf_printf(&title, "@%s over time", name);
	else
		strbuf_puts(&title, "Histogram over time");
	if (localtime_r(&f->began, &tm))
		strftime(began, sizeof(began), "%F %T", &tm);
	picture.title = title.data;
	picture.began = began;
	heatmap_svg_write(&picture, &svg);
	ok = picture_file_write(&f->file, &svg, o);
	strbuf_release(&title);
	strbuf_release(&svg);
	return ok;
}

bool heatmap_file_write(struct heatmap_file *f, struct consumer *c, struct out *o)
{
	end_interval(f, c, now_ns());
	heatmap_finish(&f->map);
	if (f->map.cells.len)
		return draw(f, o);
	out_message(o, "no heat map: the histogram is empty");
	return true;
}
