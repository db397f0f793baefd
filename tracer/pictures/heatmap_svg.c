/* SPDX-License-Identifier: MIT */
/*
 * The layout. The script (heatmap.js) reads the count of each cell from data-v and its
 * row from data-r, the interval of a column and the buckets of a row from data-n.
 */
#include "tracer/pictures/heatmap_svg.h"
#include "tracer/base/text.h"
#include "vm/agg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH	1200.0
#define TOP	64    /* of the plot */
#define RIGHT	30    /* beside it */
#define PLOT	420.0 /* its height, if rows can be so high */
#define LETTER	7.3   /* the width of a character, pixels */
#define LEVELS	16    /* of colour */
#define TICKS	12    /* of the time axis, at most */
#define LABELS	14    /* pixels between labels of rows, at least */
#define LEGEND	30    /* the width of a level */
#define NUMBER	64    /* bytes */
#define RANGE	(2 * NUMBER + 8)
#define LOG_MIN 32 /* a largest count from which on the scale is logarithmic */

/* The bytes of heatmap.js. */
static const unsigned char script[] = {
#include <dtrace_heatmap_js.def>
};

/* A unit and its multiples, the smallest first; each is so many of the first. */
struct scale {
	const char *name;
	double size;
};

static const struct scale times[] = {{"ns", 1},	 {"\xc2\xb5s", 1e3}, {"ms", 1e6},
				     {"s", 1e9}, {"min", 60e9},	     {"h", 3600e9},
				     {NULL, 0}};
static const struct scale sizes[] = {{"B", 1},
				     {"KiB", 1024},
				     {"MiB", 1024.0 * 1024},
				     {"GiB", 1024.0 * 1024 * 1024},
				     {"TiB", 1024.0 * 1024 * 1024 * 1024},
				     {NULL, 0}};

struct drawing {
	const struct heatmap_picture *p;
	const struct heatmap *map;
	struct strbuf *to;
	uint32_t first, last; /* buckets shown */
	uint32_t per_row;     /* buckets in a row */
	uint32_t nrows;
	double left, height; /* of the plot; height: of a row */
	uint64_t from, span; /* ns */
	int64_t most;	     /* the largest count of a cell */
	bool is_log;
	const struct scale *scale; /* of the values; NULL: plain numbers */
	double factor;		   /* from a value to the first unit of scale */
};

/* ---- numbers ---- */

/* In the largest unit in which it is 1 or more. */
static void put_scaled(const struct scale *s, double v, char text[NUMBER])
{
	double size = fabs(v);

	while (s[1].name && size >= s[1].size)
		s++;
	snprintf(text, NUMBER, "%.4g %s", v / s->size, s->name);
}

static void put_value(const struct drawing *d, int64_t v, char text[NUMBER])
{
	if (d->scale)
		put_scaled(d->scale, (double)v * d->factor, text);
	else
		snprintf(text, NUMBER, "%" PRId64, v);
}

/* A time since the first column, as exact as the interval asks for. */
static void put_time(uint64_t ns, char text[NUMBER])
{
	if (ns)
		put_scaled(times, (double)ns, text);
	else
		snprintf(text, NUMBER, "0 s");
}

/* ---- buckets ---- */

static bool has_ends(const struct drawing *d)
{
	return d->map->agg->func != AGG_quantize;
}

static bool is_lowest(const struct drawing *d, uint32_t bucket)
{
	return has_ends(d) && bucket == 0;
}

static bool is_highest(const struct drawing *d, uint32_t bucket)
{
	return has_ends(d) && bucket == d->map->agg->words - 1;
}

/* The smallest and the largest value in a bucket that is no end. */
static int64_t least_of(const struct drawing *d, uint32_t bucket)
{
	int64_t label = agg_bucket_label(d->map->agg, bucket);

	if (has_ends(d) || label >= 0)
		return label;
	return bucket ? agg_bucket_label(d->map->agg, bucket - 1) + 1 : INT64_MIN;
}

static int64_t most_of(const struct drawing *d, uint32_t bucket)
{
	int64_t label = agg_bucket_label(d->map->agg, bucket);

	if (!has_ends(d) && label < 0)
		return label;
	if (bucket + 1 == d->map->agg->words)
		return INT64_MAX;
	return agg_bucket_label(d->map->agg, bucket + 1) - 1;
}

static uint32_t row_first(const struct drawing *d, uint32_t row)
{
	return d->first + row * d->per_row;
}

static uint32_t row_last(const struct drawing *d, uint32_t row)
{
	return min_u32(row_first(d, row) + d->per_row - 1, d->last);
}

/* What is beside a row: as quantize() and its kin print it. */
static void label_row(const struct drawing *d, uint32_t row, char text[NUMBER])
{
	uint32_t bucket = row_first(d, row);
	bool is_end = is_highest(d, row_last(d, row));
	char number[NUMBER];

	if (is_lowest(d, bucket)) {
		put_value(d, agg_bucket_label(d->map->agg, 1), number);
		snprintf(text, NUMBER, "< %.40s", number);
		return;
	}
	put_value(d, agg_bucket_label(d->map->agg, bucket), number);
	snprintf(text, NUMBER, "%s%.40s", is_end ? ">= " : "", number);
}

/* All values of a row: "1024 to 2047". */
static void describe_row(const struct drawing *d, uint32_t row, char text[RANGE])
{
	uint32_t first = row_first(d, row), last = row_last(d, row);
	char low[NUMBER], high[NUMBER];

	if (is_lowest(d, first)) {
		put_value(d, agg_bucket_label(d->map->agg, last + 1), high);
		snprintf(text, RANGE, "< %s", high);
		return;
	}
	put_value(d, least_of(d, first), low);
	put_value(d, most_of(d, last), high);
	if (is_highest(d, last))
		snprintf(text, RANGE, ">= %s", low);
	else if (strcmp(low, high) == 0)
		snprintf(text, RANGE, "%s", low);
	else
		snprintf(text, RANGE, "%s to %s", low, high);
}

/* ---- what is shown ---- */

static void choose_scale(struct drawing *d)
{
	static const struct {
		const char *unit;
		const struct scale *scale;
		double factor;
	} known[] = {{"ns", times, 1},
		     {"us", times, 1e3},
		     {"ms", times, 1e6},
		     {"s", times, 1e9},
		     {"bytes", sizes, 1}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(d->p->unit, known[i].unit))
			continue;
		d->scale = known[i].scale;
		d->factor = known[i].factor;
	}
}

static void choose_rows(struct drawing *d)
{
	const struct heatmap *m = d->map;
	uint32_t n;

	d->first = m->agg->words - 1;
	for (size_t i = 0; i < m->cells.len; i++) {
		const struct heatmap_cell *c = &m->cells.data[i];

		d->first = min_u32(d->first, c->bucket);
		d->last = max_u32(d->last, c->bucket);
	}
	n = d->last - d->first + 1;
	d->per_row = (n + HEATMAP_ROWS - 1) / HEATMAP_ROWS;
	d->nrows = (n + d->per_row - 1) / d->per_row;
	d->height = floor(fmax(4, fmin(26, PLOT / d->nrows)));
}

static void choose_left(struct drawing *d)
{
	char text[NUMBER];
	size_t most = 0;

	for (uint32_t i = 0; i < d->nrows; i++) {
		size_t n;

		label_row(d, i, text);
		n = strlen(text);
		most = n > most ? n : most;
	}
	d->left = fmax(60, 20 + LETTER * (double)most);
}

/* The counts of a column by row; sums stay at the largest. */
static void count_rows(const struct drawing *d, size_t column,
		       int64_t counts[HEATMAP_ROWS])
{
	const struct heatmap *m = d->map;
	size_t end = column + 1 < m->columns.len ? m->columns.data[column + 1].first
						 : m->cells.len;

	memset(counts, 0, HEATMAP_ROWS * sizeof(*counts));
	for (size_t i = m->columns.data[column].first; i < end; i++) {
		const struct heatmap_cell *c = &m->cells.data[i];
		int64_t *to = &counts[(c->bucket - d->first) / d->per_row];

		if (__builtin_add_overflow(*to, c->count, to))
			*to = INT64_MAX;
	}
}

static void measure(struct drawing *d)
{
	const struct heatmap *m = d->map;
	int64_t counts[HEATMAP_ROWS];

	choose_scale(d);
	choose_rows(d);
	choose_left(d);
	d->from = m->columns.data[0].from;
	d->span = m->columns.data[m->columns.len - 1].to - d->from;
	d->span = d->span ? d->span : 1;
	for (size_t i = 0; i < m->columns.len; i++) {
		count_rows(d, i, counts);
		for (uint32_t k = 0; k < d->nrows; k++)
			d->most = counts[k] > d->most ? counts[k] : d->most;
	}
	d->is_log = d->most >= LOG_MIN;
}

static double plot_width(const struct drawing *d)
{
	return WIDTH - RIGHT - d->left;
}

static double plot_bottom(const struct drawing *d)
{
	return TOP + d->height * d->nrows;
}

static double x_of(const struct drawing *d, uint64_t time)
{
	return d->left + plot_width(d) * ((double)(time - d->from) / (double)d->span);
}

static double y_of(const struct drawing *d, uint32_t row)
{
	return TOP + d->height * (d->nrows - 1 - row);
}

/* ---- colours ---- */

/* From light yellow by orange to a dark red; each is darker than the one before. */
static void put_colours(struct strbuf *to)
{
	static const double stops[][3] = {{255, 246, 196}, {254, 217, 118},
					  {253, 141, 60},  {227, 26, 28},
					  {128, 0, 38},	   {56, 0, 30}};

	for (unsigned i = 0; i < LEVELS; i++) {
		double at = (double)i * (ARRAY_LEN(stops) - 1) / (LEVELS - 1);
		size_t k =
			at >= ARRAY_LEN(stops) - 1 ? ARRAY_LEN(stops) - 2 : (size_t)at;
		unsigned c[3];

		at -= (double)k;
		for (int j = 0; j < 3; j++)
			c[j] = (unsigned)(stops[k][j] * (1 - at) +
					  stops[k + 1][j] * at);
		strbuf_printf(to, ".l%u{fill:#%02x%02x%02x}", i, c[0], c[1], c[2]);
	}
}

static unsigned level_of(const struct drawing *d, int64_t count)
{
	double v = (double)count, most = (double)d->most;
	double part = d->is_log ? log(v) / log(most) : v / most;

	return (unsigned)fmin(LEVELS - 1, floor(LEVELS * part));
}

/* ---- parts of the picture ---- */

static void put_cells(const struct drawing *d, size_t column)
{
	const struct heatmap_column *c = &d->map->columns.data[column];
	double x = x_of(d, c->from), width = x_of(d, c->to) - x;
	char from[NUMBER], until[NUMBER];
	int64_t counts[HEATMAP_ROWS];

	count_rows(d, column, counts);
	put_time(c->from - d->from, from);
	put_time(c->to - d->from, until);
	strbuf_printf(d->to, "<g data-n=\"%s to %s\">\n", from, until);
	for (uint32_t i = 0; i < d->nrows; i++)
		if (counts[i])
			strbuf_printf(d->to,
				      "<rect class=\"l%u\" x=\"%.2f\" y=\"%g\" "
				      "width=\"%.2f\" height=\"%g\" data-r=\"%" PRIu32
				      "\" data-v=\"%" PRId64 "\"/>\n",
				      level_of(d, counts[i]), x, y_of(d, i),
				      fmax(width, 0.1), d->height, i, counts[i]);
	strbuf_puts(d->to, "</g>\n");
}

static void put_rows(const struct drawing *d)
{
	uint32_t step = (uint32_t)ceil(LABELS / d->height);
	char label[NUMBER], text[RANGE];

	strbuf_puts(d->to, "<g id=\"rows\" text-anchor=\"end\">\n");
	for (uint32_t i = 0; i < d->nrows; i++) {
		double y = y_of(d, i) + d->height;

		label_row(d, i, label);
		describe_row(d, i, text);
		strbuf_printf(d->to, "<text x=\"%.1f\" y=\"%.1f\" data-n=\"",
			      d->left - 8, y - d->height / 2 + 4);
		text_add_xml(d->to, text, strlen(text));
		strbuf_puts(d->to, "\">");
		if (i % step == 0)
			text_add_xml(d->to, label, strlen(label));
		strbuf_puts(d->to, "</text>\n");
	}
	strbuf_puts(d->to, "</g>\n<path class=\"grid\" d=\"");
	for (uint32_t i = 0; i <= d->nrows; i += step)
		strbuf_printf(d->to, "M%.1f %.1fH%.1f", d->left,
			      plot_bottom(d) - i * d->height, WIDTH - RIGHT);
	strbuf_puts(d->to, "\"/>\n");
}

/* The distance of ticks: 1, 2 or 5 of a power of ten of a unit; minutes and hours have
 * theirs. */
static double tick_step(double span)
{
	static const double steps[] = {30e9,   60e9,   120e9,	300e9,	 600e9,	 1200e9,
				       3600e9, 7200e9, 14400e9, 43200e9, 86400e9};
	double step = 1;

	for (int i = 0; span / step > TICKS && step < 20e9; i++)
		step *= i % 3 == 1 ? 2.5 : 2;
	for (size_t i = 0; span / step > TICKS && i < ARRAY_LEN(steps); i++)
		step = steps[i];
	while (span / step > TICKS)
		step *= 2;
	return step;
}

/* Ticks are whole numbers of it, but fractions of a second when there are several. */
static const struct scale *tick_unit(double step, double span)
{
	const struct scale *s = times;
	double size = span >= 1e9 ? fmax(step, 1e9) : step;

	while (s[1].name && size >= s[1].size)
		s++;
	return s;
}

static void put_times(const struct drawing *d)
{
	double step = tick_step((double)d->span), bottom = plot_bottom(d);
	const struct scale *unit = tick_unit(step, (double)d->span);

	strbuf_puts(d->to, "<g text-anchor=\"middle\">\n");
	for (double t = 0; t <= (double)d->span; t += step) {
		double x = d->left + plot_width(d) * (t / (double)d->span);

		strbuf_printf(d->to,
			      "<path class=\"axis\" d=\"M%.1f %.1fv5\"/><text "
			      "x=\"%.1f\" y=\"%.1f\">%.6g</text>\n",
			      x, bottom, x, bottom + 18, t / unit->size);
	}
	strbuf_printf(d->to, "<text x=\"%.1f\" y=\"%.1f\">%s since ",
		      d->left + plot_width(d) / 2, bottom + 36, unit->name);
	text_add_xml(d->to, d->p->began, strlen(d->p->began));
	strbuf_puts(d->to, "</text>\n</g>\n");
}

/* The smallest count of a level; the script computes the same for the other scale. */
static double level_least(const struct drawing *d, unsigned level)
{
	double part = (double)level / LEVELS, most = (double)d->most;

	return fmax(1, ceil(d->is_log ? pow(most, part) : most * part));
}

static void put_legend(const struct drawing *d)
{
	double y = plot_bottom(d) + 54, x = WIDTH - RIGHT - LEVELS * LEGEND;

	strbuf_printf(d->to,
		      "<g id=\"legend\">\n<text id=\"scale\" class=\"b\" x=\"%.1f\" "
		      "y=\"%.1f\" text-anchor=\"end\">count, %s scale</text>\n",
		      x - 12, y + 11, d->is_log ? "logarithmic" : "linear");
	for (unsigned i = 0; i < LEVELS; i++)
		strbuf_printf(d->to,
			      "<rect class=\"l%u\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
			      "height=\"13\"/>\n",
			      i, x + i * LEGEND, y, LEGEND);
	for (unsigned i = 0; i < LEVELS; i += LEVELS / 4)
		strbuf_printf(
			d->to,
			"<text class=\"least\" x=\"%.1f\" y=\"%.1f\">%.0f</text>\n",
			x + i * LEGEND, y + 27, level_least(d, i));
	strbuf_printf(d->to,
		      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%" PRId64
		      "</text>\n</g>\n",
		      WIDTH - RIGHT, y + 27, d->most);
}

static void put_head(const struct drawing *d)
{
	int height = (int)plot_bottom(d) + 100;
	/* labels in multiples of a unit have it themselves */
	const char *unit = d->p->unit[0] && !d->scale ? d->p->unit : "value";
	struct strbuf *to = d->to;

	strbuf_printf(
		to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" data-most=\"%" PRId64
		"\" data-scale=\"%s\">\n<title>",
		(int)WIDTH, height, (int)WIDTH, height, d->most,
		d->is_log ? "log" : "linear");
	text_add_xml(to, d->p->title, strlen(d->p->title));
	strbuf_puts(to, "</title>\n<style>text{font:12px monospace;fill:#000}"
			".axis{stroke:#000}.grid{stroke:#ddd;stroke-width:.5}"
			".b{fill:#06c;cursor:pointer}"
			"#cells rect:hover{stroke:#06c;stroke-width:1.5}");
	put_colours(to);
	strbuf_puts(to,
		    "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
		    "<text x=\"600\" y=\"24\" text-anchor=\"middle\" "
		    "style=\"font-size:16px\">");
	text_add_xml(to, d->p->title, strlen(d->p->title));
	strbuf_printf(to, "</text>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\">",
		      d->left - 8, TOP - 10);
	text_add_xml(to, unit, strlen(unit));
	strbuf_printf(to, "</text>\n<text id=\"info\" x=\"%.1f\" y=\"%d\"/>\n", d->left,
		      TOP - 10);
}

void heatmap_svg_write(const struct heatmap_picture *p, struct strbuf *to)
{
	struct drawing d = {.p = p, .map = p->map, .to = to};

	measure(&d);
	put_head(&d);
	put_rows(&d);
	strbuf_puts(to, "<g id=\"cells\" shape-rendering=\"crispEdges\">\n");
	for (size_t i = 0; i < d.map->columns.len; i++)
		put_cells(&d, i);
	strbuf_printf(
		to,
		"</g>\n<path class=\"axis\" fill=\"none\" d=\"M%.1f %dV%.1fH%.1f\"/>\n",
		d.left, TOP, plot_bottom(&d), WIDTH - RIGHT);
	put_times(&d);
	put_legend(&d);
	strbuf_puts(to, "<script><![CDATA[\n");
	strbuf_add(to, script, sizeof(script));
	strbuf_puts(to, "]]></script>\n</svg>\n");
}
