/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/pictures.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/consume.h"
#include "tracer/output/out.h"
#include "tracer/pictures/flame.h"
#include "tracer/pictures/folded_file.h"
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
	struct timeline *timeline; /* NULL: none */
	uint32_t agg;		   /* the one that is drawn */
	struct tree tree;
	int flame;	    /* the file */
	uint64_t nleft_out; /* rows without a positive value */
	struct strbuf line;
	struct ustack *ustack; /* while rows are taken */
};

/* Whether the aggregation's rows are stacks with a number that adds up. */
static bool is_drawable(const void *image, uint32_t agg)
{
	const struct program_agg *a = program_agg(image, agg);
	const struct agg_value keys = {.keys = program_field(image, a->first_key),
				       .nkeys = a->nkeys};

	return !a->variant_of && (a->func == AGG_count || a->func == AGG_sum) &&
	       agg_value_has_stack(&keys);
}

static int choose(struct pictures *p, struct err *e)
{
	uint32_t n = program_count(p->image, SECTION_AGG);

	for (p->agg = 0; p->agg < n; p->agg++)
		if (is_drawable(p->image, p->agg))
			return 0;
	return err_set(e, STATUS_INVAL,
		       "--flame needs an aggregation of count() or sum() with a stack "
		       "among its keys, as in @[ustack()] = count()");
}

/* What the file has now stays until the picture is written. */
static int open_file(const char *path, int *fd, struct err *e)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return err_set(e, STATUS_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	return 0;
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
	return rc ? rc : open_file(opt->flame, &p->flame, e);
}

static int open_timeline(struct pictures *p, struct err *e)
{
	const char *path = p->options->timeline;
	FILE *f;

	if (!path)
		return 0;
	f = fopen(path, "we");
	if (!f)
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
	if (!opt->flame && !opt->flamebase && !opt->timeline)
		return 0;
	p = oom_calloc(1, sizeof(*p));
	p->config = *config;
	p->options = opt;
	p->image = config->image;
	p->flame = -1;
	rc = open_flame(p, e);
	if (rc == 0)
		rc = open_timeline(p, e);
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
	if (p->flame >= 0)
		close(p->flame);
	timeline_end(p->timeline);
	tree_release(&p->tree);
	strbuf_release(&p->line);
	free(p);
}

bool pictures_want_records(const struct pictures *p)
{
	return p && p->timeline;
}

void pictures_record(struct pictures *p, const struct record *r,
		     const struct probe *probe)
{
	if (p->timeline)
		timeline_add(p->timeline, r, probe);
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

/* Replaces what the file has. */
static bool write_file(int fd, const char *path, const struct strbuf *text,
		       struct out *o)
{
	size_t done = 0;
	ssize_t n = 0;

	/* a pipe or device has no length */
	if (ftruncate(fd, 0) && errno != EINVAL)
		n = -1;
	while (n >= 0 && done < text->len) {
		n = write(fd, text->data + done, text->len - done);
		done += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno == EINTR)
			n = 0;
	}
	if (n < 0)
		out_message(o, "failed to write '%s': %s", path, strerror(errno));
	return n >= 0;
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
	ok = write_file(p->flame, p->options->flame, &svg, o);
	strbuf_release(&svg);
	return ok;
}

static bool draw_flame(struct pictures *p, struct consumer *c, struct out *o)
{
	const char *name =
		program_string(p->image, program_agg(p->image, p->agg)->name);
	bool is_unnamed = strcmp(name, "_") == 0;

	consumer_each_value(c, take_value, p);
	if (p->options->stackformat == STACKFORMAT_PLAIN)
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
	if (!ok)
		out_message(o, "failed to write '%s': %s", p->options->timeline,
			    strerror(errno));
	return ok;
}

bool pictures_write(struct pictures *p, struct consumer *c, struct ustack *u,
		    struct out *o)
{
	bool ok = true;

	p->ustack = u;
	if (p->flame >= 0)
		ok = draw_flame(p, c, o);
	return (!p->timeline || end_timeline(p, o)) && ok;
}
