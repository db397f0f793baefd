/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/pictures.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/consume.h"
#include "tracer/output/out.h"
#include "tracer/pictures/picture_file.h"
#include "tracer/pictures/flame.h"
#include "tracer/pictures/folded_file.h"
#include "tracer/pictures/heatmap_file.h"
#include "tracer/pictures/profile_file.h"
#include "tracer/pictures/timeline.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pictures {
	struct pictures_config config;
	const struct options *options;
	const void *image;
	struct timeline *timeline;    /* NULL: none */
	struct heatmap_file *heatmap; /* NULL: none */
	struct profile_file *profile; /* NULL: none */
	uint32_t agg;		      /* of the flame graph */
	struct tree tree;
	struct picture_file flame, timeline_file;
	uint64_t nleft_out; /* rows without a positive value */
	struct strbuf line;
	struct ustack *ustack; /* while rows are taken */
};

static int choose(struct pictures *p, struct err *e)
{
	uint32_t n = program_count(p->image, SECTION_AGG);

	for (p->agg = 0; p->agg < n; p->agg++)
		if (agg_has_stacks(p->image, p->agg))
			return 0;
	return err_set(e, STATUS_INVAL,
		       "--flame needs an aggregation of count() or sum() with a stack "
		       "among its keys, as in @[ustack()] = count()");
}

static int open_flame(struct pictures *p, struct err *e)
{
	const struct options *opt = p->options;
	int rc;

	if (opt->flamebase && !opt->flame)
		return err_set(e, STATUS_INVAL, "--flame-base needs --flame");
	if (!opt->flame)
		return 0;
	rc = choose(p, e);
	if (rc == 0 && opt->flamebase)
		rc = folded_file_read(opt->flamebase, &p->tree, e);
	return rc ? rc : picture_file_open(&p->flame, opt->flame, e);
}

static int open_timeline(struct pictures *p, struct err *e)
{
	const char *path = p->options->timeline;
	FILE *f;
	int rc;

	if (!path)
		return 0;
	rc = picture_file_open(&p->timeline_file, path, e);
	if (rc)
		return rc;
	f = fdopen(fcntl(p->timeline_file.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (!f || (ftruncate(p->timeline_file.fd, 0) && errno != EINVAL))
		return err_set(e, STATUS_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	p->timeline = timeline_new(f, p->config.probes, p->config.process_name,
				   p->config.ctx);
	return 0;
}

int pictures_open(const struct pictures_config *config, struct pictures **out,
		  struct err *e)
{
	const struct options *opt = config->options;
	struct pictures *p;
	int rc;

	*out = NULL;
	if (opt->stackformat == STACKFORMAT_PPROF && !opt->pprof)
		return err_set(e, STATUS_INVAL,
			       "stackformat=pprof needs --pprof FILE: a profile is no "
			       "text");
	if (!opt->flame && !opt->flamebase && !opt->timeline && !opt->heatmap &&
	    !opt->pprof)
		return 0;
	p = oom_calloc(1, sizeof(*p));
	p->config = *config;
	p->options = opt;
	p->image = config->image;
	p->flame = p->timeline_file = PICTURE_FILE_NONE;
	rc = open_flame(p, e);
	if (rc == 0)
		rc = open_timeline(p, e);
	if (rc == 0 && opt->heatmap)
		rc = heatmap_file_open(config, &p->heatmap, e);
	if (rc == 0 && opt->pprof)
		rc = profile_file_open(config, &p->profile, e);
	if (rc) {
		pictures_free(p);
		return rc;
	}
	*out = p;
	return 0;
}

void pictures_free(struct pictures *p)
{
	if (!p)
		return;
	timeline_end(p->timeline);
	picture_file_close(&p->flame);
	picture_file_close(&p->timeline_file);
	heatmap_file_free(p->heatmap);
	profile_file_free(p->profile);
	tree_release(&p->tree);
	strbuf_release(&p->line);
	free(p);
}

bool pictures_want_records(const struct pictures *p)
{
	return p && (p->timeline || p->heatmap);
}

void pictures_record(struct pictures *p, struct consumer *c, const struct record *r,
		     const struct probe *probe)
{
	if (p->timeline) {
		timeline_add(p->timeline, r, probe);
		p->timeline_file.is_new = false;
	}
	if (p->heatmap)
		heatmap_file_record(p->heatmap, c, r);
}

void pictures_removed(struct pictures *p, const struct agg_value *x)
{
	if (p->heatmap)
		heatmap_file_removed(p->heatmap, x);
}

void pictures_start(struct pictures *p, uint64_t now)
{
	if (p && p->heatmap)
		heatmap_file_start(p->heatmap, now);
}

uint64_t pictures_wakeup(const struct pictures *p)
{
	return p && p->heatmap ? heatmap_file_wakeup(p->heatmap) : UINT64_MAX;
}

void pictures_serve(struct pictures *p, struct consumer *c, uint64_t now)
{
	if (p && p->heatmap)
		heatmap_file_serve(p->heatmap, c, now);
}

/* One value of any aggregation. */
static void take_value(void *ctx, const struct agg_value *x)
{
	struct pictures *p = ctx;
	int64_t number = agg_value_number(x);

	if (x->number != p->agg || !x->words)
		return;
	if (number <= 0) {
		p->nleft_out += number < 0;
		return;
	}
	strbuf_reset(&p->line);
	if (agg_value_fold(x, p->ustack, &p->line))
		tree_add(&p->tree, p->line.data, p->line.len, TREE_NOW,
			 (uint64_t)number);
}

static bool write_flame(struct pictures *p, struct out *o)
{
	const struct program_agg *a = program_agg(p->image, p->agg);
	const char *name = program_string(p->image, a->name);
	const struct flame f = {.tree = &p->tree,
				.title = p->line.data,
				.unit = a->func == AGG_count ? "counted" : "summed",
				.has_base = p->options->flamebase != NULL};
	struct strbuf svg = {0};
	bool ok = true;

	if (p->nleft_out)
		out_notice(
			o,
			"flame graph: %llu stacks with a negative value are left out",
			(unsigned long long)p->nleft_out);
	if (!p->tree.nodes.len || !p->tree.nodes.data[0].total[TREE_NOW]) {
		out_message(o, "no flame graph: @%s is empty", name);
		return true;
	}
	flame_write(&f, &svg);
	ok = picture_file_write(&p->flame, &svg, o);
	strbuf_release(&svg);
	return ok;
}

static bool draw_flame(struct pictures *p, struct consumer *c, struct out *o)
{
	const char *name =
		program_string(p->image, program_agg(p->image, p->agg)->name);
	bool is_unnamed = strcmp(name, "_") == 0;

	consumer_each_value(c, take_value, p);
	if (p->options->stackformat != STACKFORMAT_FOLDED)
		consumer_hide(c, p->agg);
	tree_finish(&p->tree);
	strbuf_reset(&p->line);
	strbuf_printf(&p->line, "Stacks%s%s%s", is_unnamed ? "" : " of @",
		      is_unnamed ? "" : name,
		      p->options->flamebase ? ": red took a larger share than "
					      "before, blue a smaller one"
					    : "");
	return write_flame(p, o);
}

static bool end_timeline(struct pictures *p, struct out *o)
{
	uint64_t n = timeline_left_out(p->timeline);
	struct err e;
	bool ok;

	if (n)
		out_notice(o,
			   "timeline: %llu events of too many threads or calls are "
			   "left out",
			   (unsigned long long)n);
	if (!timeline_events(p->timeline))
		out_message(o, "the timeline is empty: it shows what clauses of probes "
			       "record, as {} does, not what they aggregate");
	ok = timeline_end(p->timeline);
	p->timeline = NULL;
	if (!ok) {
		picture_file_fail(&p->timeline_file, errno, &e);
		out_message(o, "%s", e.text);
	}
	return ok;
}

bool pictures_write(struct pictures *p, struct consumer *c, struct ustack *u,
		    struct out *o)
{
	bool ok = true;

	p->ustack = u;
	if (p->flame.fd >= 0)
		ok = draw_flame(p, c, o);
	if (p->heatmap)
		ok = heatmap_file_write(p->heatmap, c, o) && ok;
	if (p->profile)
		ok = profile_file_write(p->profile, c, u, o) && ok;
	return (!p->timeline || end_timeline(p, o)) && ok;
}
