/* SPDX-License-Identifier: MIT */
/*
 * The layout. A frame is as wide as its share of all; it stands on its caller. The script
 * (flame.js) reads names and values from data-n, data-v and data-b of each frame.
 */
#include "tracer/pictures/flame.h"
#include "tracer/base/text.h"
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  1200.0
#define ROW    17
#define HEAD   46
#define FOOT   30
#define NARROW 0.05 /* pixels: no frame is less wide */
#define LETTER 7.0  /* the width of a character, pixels */

/* The bytes of flame.js. */
static const unsigned char script[] = {
#include <dtrace_flame_js.def>
};

struct drawing {
	const struct flame *f;
	struct strbuf *to;
	uint64_t least; /* a frame with a smaller total is left out */
	unsigned depth; /* of the highest frame drawn */
	double most;	/* the largest difference of shares */
};

static double share(const struct drawing *d, const struct tree_node *n,
		    enum tree_run run)
{
	uint64_t all = d->f->tree->nodes.data[0].total[run];

	return all ? (double)n->total[run] / (double)all : 0;
}

static int compare_down(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left < right) - (left > right);
}

/* The least total that is drawn: that of the widest FLAME_BOXES frames. */
static uint64_t least_total(const struct tree *t)
{
	uint64_t all = t->nodes.data[0].total[TREE_NOW], *totals;
	uint64_t least = (uint64_t)((double)all * (NARROW / WIDTH));
	size_t n = 0;

	least = least ? least : 1;
	totals = oom_calloc(t->nodes.len, sizeof(*totals));
	for (size_t i = 0; i < t->nodes.len; i++)
		if (t->nodes.data[i].total[TREE_NOW] >= least)
			totals[n++] = t->nodes.data[i].total[TREE_NOW];
	qsort(totals, n, sizeof(*totals), compare_down);
	if (n > FLAME_BOXES)
		least = totals[FLAME_BOXES] + 1;
	free(totals);
	return least;
}

/* ---- colours ---- */

static unsigned part(double hue, double shift)
{
	double k = fmod(shift + hue / 30, 12);
	double level = fmax(-1, fmin(1, fmin(k - 3, 9 - k)));

	return (unsigned)(255 * (0.71 - 0.19 * level));
}

/* A hue for each module, a shade of it for each function. */
static void put_name_colour(const char *name, struct strbuf *to)
{
	size_t module = strcspn(name, "`");
	double hue = (double)(hash_bytes(name, module, 0) % 360);
	double shade = (double)(hash_bytes(name, strlen(name), 0) % 32) - 16;

	hue = fmod(hue + shade / 2 + 360, 360);
	strbuf_printf(to, "#%02x%02x%02x", part(hue, 0), part(hue, 8), part(hue, 4));
}

/* Red for a larger share than before, blue for a smaller one. */
static void put_change_colour(const struct drawing *d, const struct tree_node *n,
			      struct strbuf *to)
{
	double change = share(d, n, TREE_NOW) - share(d, n, TREE_BASE);
	double level = d->most > 0 ? fabs(change) / d->most : 0;
	unsigned other = (unsigned)(240 - 180 * level);

	if (change >= 0)
		strbuf_printf(to, "#f0%02x%02x", other, other);
	else
		strbuf_printf(to, "#%02x%02xf0", other, other);
}

/* ---- frames ---- */

/* As much of a name as fits into a frame of this width. */
static void put_label(const char *name, double width, struct strbuf *to)
{
	const char *tick = strchr(name, '`');
	size_t room = width > 4 ? (size_t)((width - 4) / LETTER) : 0, n;

	name = tick ? tick + 1 : name;
	n = strlen(name);
	if (room < 3)
		return;
	if (n > room) {
		n = room - 2;
		while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
	}
	text_add_xml(to, name, n);
	if (name[n])
		strbuf_puts(to, "..");
}

static void put_frame(const struct drawing *d, const struct tree_node *n, double x,
		      unsigned depth)
{
	struct strbuf *to = d->to;
	double width = WIDTH * share(d, n, TREE_NOW);
	unsigned y = HEAD + (d->depth - depth) * ROW;

	strbuf_puts(to, "<g class=\"f\" data-n=\"");
	text_add_xml(to, n->name, strlen(n->name));
	strbuf_printf(to, "\" data-v=\"%" PRIu64 "\"", n->total[TREE_NOW]);
	if (d->f->has_base)
		strbuf_printf(to, " data-b=\"%" PRIu64 "\"", n->total[TREE_BASE]);
	strbuf_printf(to,
		      "><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
		      "fill=\"",
		      x, y, width, ROW - 1);
	if (d->f->has_base)
		put_change_colour(d, n, to);
	else
		put_name_colour(n->name, to);
	strbuf_printf(to, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	put_label(n->name, width, to);
	strbuf_puts(to, "</text></g>\n");
}

/* A frame and all above it, in the order of a walk from the root. */
static void put_frames(const struct drawing *d, uint32_t node, double x, unsigned depth)
{
	const struct tree_node *nodes = d->f->tree->nodes.data;

	put_frame(d, &nodes[node], x, depth);
	for (uint32_t c = nodes[node].first; c; c = nodes[c].next) {
		if (nodes[c].total[TREE_NOW] < d->least)
			continue;
		put_frames(d, c, x, depth + 1);
		x += WIDTH * share(d, &nodes[c], TREE_NOW);
	}
}

/* How deep the frames that are drawn are, and how much their shares differ. */
static void measure(struct drawing *d, uint32_t node, unsigned depth)
{
	const struct tree_node *nodes = d->f->tree->nodes.data;

	if (depth > d->depth)
		d->depth = depth;
	for (uint32_t c = nodes[node].first; c; c = nodes[c].next) {
		if (nodes[c].total[TREE_NOW] < d->least)
			continue;
		d->most = fmax(d->most, fabs(share(d, &nodes[c], TREE_NOW) -
					     share(d, &nodes[c], TREE_BASE)));
		measure(d, c, depth + 1);
	}
}

static void put_head(const struct drawing *d)
{
	unsigned height = HEAD + (d->depth + 1) * ROW + FOOT;
	struct strbuf *to = d->to;

	strbuf_printf(to,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		      "width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" data-unit=\"",
		      (int)WIDTH, height, (int)WIDTH, height);
	text_add_xml(to, d->f->unit, strlen(d->f->unit));
	strbuf_puts(to, "\">\n<title>");
	text_add_xml(to, d->f->title, strlen(d->f->title));
	strbuf_puts(to, "</title>\n<style>text{font:12px monospace;fill:#000}"
			"rect{stroke:#fff;stroke-width:.4}.f{cursor:pointer}.f:hover "
			"rect{stroke:#000}"
			".b{fill:#06c;cursor:pointer}.past rect{opacity:.45}"
			".off{display:none}.hit rect{fill:#e0f}</style>\n"
			"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
			"<text x=\"600\" y=\"22\" text-anchor=\"middle\" "
			"style=\"font-size:16px\">");
	text_add_xml(to, d->f->title, strlen(d->f->title));
	strbuf_printf(to,
		      "</text>\n<text id=\"reset\" class=\"b\" x=\"8\" y=\"22\">reset "
		      "zoom</text>\n<text id=\"search\" class=\"b\" x=\"1140\" "
		      "y=\"22\">search</text>\n<text id=\"info\" x=\"8\" y=\"%u\"/>\n"
		      "<text id=\"found\" x=\"1192\" y=\"%u\" text-anchor=\"end\"/>\n"
		      "<g id=\"frames\">\n",
		      height - 10, height - 10);
}

void flame_write(const struct flame *f, struct strbuf *to)
{
	struct drawing d = {.f = f, .to = to, .least = least_total(f->tree)};

	measure(&d, 0, 0);
	put_head(&d);
	put_frames(&d, 0, 0, 0);
	strbuf_puts(to, "</g>\n<script><![CDATA[\n");
	strbuf_add(to, script, sizeof(script));
	strbuf_puts(to, "]]></script>\n</svg>\n");
}
