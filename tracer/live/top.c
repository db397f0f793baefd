/* SPDX-License-Identifier: MIT */
#include "tracer/live/top.h"
#include "tracer/live/spark.h"
#include "tracer/base/text.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/aggs/hist.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <curses.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX    100000 /* that are looked at */
#define SHARES_MAX  (16u << 20)
#define KEYS_MAX    16	 /* columns of keys; further ones are not shown */
#define KEY_WIDTH   48	 /* columns of one key that is not the last */
#define TEXT_MAX    1024 /* characters of one key */
#define VALUE_WIDTH 20
#define SHARE_WIDTH 8 /* "  12.34%" */
#define HEADER_ROWS 2

/* A row: where its keys begin in texts, one terminated text after the other. */
struct line {
	size_t keys;
	int64_t value;
	double share;  /* in percent, if has_share */
	size_t shares; /* of a histogram: where those of its buckets begin in shares */
	bool has_share;
};

struct top {
	struct consumer *consumer;
	struct ustack *names;
	SCREEN *screen;
	struct {
		struct line *data;
		size_t len, cap;
	} lines;
	struct strbuf texts, one;
	struct {
		uint16_t *data;
		size_t len, cap;
	} shares;		/* spark.h, of all lines */
	struct program_agg agg; /* the shown one, if it is a histogram */
	bool is_hist, has_bars;
	char title[64];	   /* of the shown aggregation */
	uint32_t shown;	   /* its place among those with values */
	uint32_t naggs;	   /* of these */
	uint32_t last;	   /* the number of the one that was met last, plus 1 */
	uint32_t nkeys;	   /* of the shown one */
	uint32_t sort_key; /* the key to sort by, plus 1; 0: the value */
	bool is_reversed, is_paused;
	size_t first; /* the first row on the screen */
};

const char *top_refusal(int out_fd)
{
	if (!isatty(out_fd) || out_fd != STDOUT_FILENO)
		return "--top needs a terminal: the output is none";
	return isatty(STDIN_FILENO) ? NULL
				    : "--top needs a terminal: standard input is none";
}

int top_begin(struct top **out, struct consumer *c, struct ustack *names, struct err *e)
{
	SCREEN *screen = newterm(NULL, stdout, stdin);
	const char *type = getenv("TERM");
	struct top *t;

	if (!screen)
		return err_set(e, STATUS_UNSUP,
			       "--top: the type of the terminal is not known: TERM=%s",
			       type ? type : "");
	t = oom_calloc(1, sizeof(*t));
	*t = (struct top){.consumer = c, .names = names, .screen = screen};
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	*out = t;
	return 0;
}

void top_end(struct top *t)
{
	if (!t)
		return;
	endwin();
	delscreen(t->screen);
	vec_release(&t->lines);
	vec_release(&t->shares);
	strbuf_release(&t->texts);
	strbuf_release(&t->one);
	free(t);
}

/* ---- rows ---- */

/* Appends a text that a target may have made, and its end. */
static void add_shown(struct strbuf *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n && i < TEXT_MAX; i++)
		strbuf_putc(to, s[i] >= ' ' && s[i] <= '~' ? s[i] : '?');
	strbuf_putc(to, '\0');
}

static void add_key(struct top *t, const struct tuple_value *v)
{
	strbuf_reset(&t->one);
	if (program_is_location(v->field) && t->names)
		ustack_fold(t->names, v, 0, &t->one);
	else if (v->field->kind == KIND_STR)
		strbuf_add(&t->one, v->bytes, strnlen(v->bytes, v->len));
	else if (v->field->kind != KIND_INT)
		strbuf_printf(&t->one, "(%" PRIu32 " bytes)", v->len);
	else if (v->field->is_signed)
		strbuf_printf(&t->one, "%" PRId64, (int64_t)v->number);
	else
		strbuf_printf(&t->one, "%" PRIu64, v->number);
	add_shown(&t->texts, t->one.data, t->one.len);
}

/* Of a histogram the number of values that it counted. */
static int64_t shown_value(const struct agg_value *x)
{
	uint64_t n = 0;

	if (!hist_is(x->agg))
		return agg_value_number(x);
	for (uint32_t i = 0; i < x->agg->words; i++)
		n += x->words[i];
	return (int64_t)n;
}

/* Appends the shares of its buckets. */
static void add_shares(struct top *t, const struct agg_value *x)
{
	size_t from = t->shares.len;

	for (uint32_t i = 0; i < x->agg->words; i++)
		*vec_push(&t->shares) = 0;
	spark_shares(x->agg, x->words, t->shares.data + from);
}

static void add_line(struct top *t, const struct agg_value *x)
{
	struct line *l = vec_push(&t->lines);
	struct tuple_value key;
	size_t pos = 0;

	*l = (struct line){
		.keys = t->texts.len, .value = shown_value(x), .shares = t->shares.len};
	l->has_share = agg_value_share(x, &l->share);
	if (t->is_hist)
		add_shares(t, x);
	t->nkeys = x->nkeys < KEYS_MAX ? x->nkeys : KEYS_MAX;
	for (uint32_t i = 0; i < t->nkeys; i++) {
		if (agg_value_key(x, i, &pos, &key))
			add_key(t, &key);
		else
			add_shown(&t->texts, "", 0);
	}
}

static void take_value(void *ctx, const struct agg_value *x)
{
	struct top *t = ctx;

	if (!x->words)
		return;
	if (x->number + 1 != t->last) {
		t->last = x->number + 1;
		t->naggs++;
	}
	if (t->naggs != t->shown + 1 || t->lines.len == ROWS_MAX ||
	    t->shares.len >= SHARES_MAX)
		return;
	if (t->lines.len == 0) {
		t->agg = *x->agg;
		t->is_hist = hist_is(x->agg);
		snprintf(t->title, sizeof(t->title), "@%s%s",
			 strcmp(x->name, "_") == 0 ? "" : x->name,
			 t->is_hist ? " (numbers of values)" : "");
	}
	add_line(t, x);
}

/* Takes the values of all aggregations, the texts of the shown one. */
static void take_rows(struct top *t)
{
	t->lines.len = 0;
	t->shares.len = 0;
	strbuf_reset(&t->texts);
	t->naggs = t->last = 0;
	consumer_each_value(t->consumer, take_value, t);
}

static const char *key_text(const struct top *t, const struct line *l, uint32_t key)
{
	const char *s = t->texts.data + l->keys;

	while (key--)
		s += strlen(s) + 1;
	return s;
}

/* The largest value comes first, the smallest key. */
static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct top *t = ctx;
	const struct line *x = a, *y = b;
	int d = (y->value > x->value) - (y->value < x->value);

	if (t->sort_key && t->sort_key <= t->nkeys)
		d = strverscmp(key_text(t, x, t->sort_key - 1),
			       key_text(t, y, t->sort_key - 1));
	if (t->is_reversed)
		d = -d;
	return d ? d : (x->keys > y->keys) - (x->keys < y->keys);
}

/* ---- histograms ---- */

static const uint16_t *shares_of(const struct top *t, const struct line *l)
{
	return t->shares.data + l->shares;
}

/* The buckets that any row uses; of no histogram: none. */
static struct spark_range range_of(const struct top *t)
{
	struct spark_range r = {0};

	for (size_t i = 0; t->is_hist && i < t->lines.len; i++)
		spark_range_add(&r, t->agg.words, shares_of(t, &t->lines.data[i]));
	return r;
}

/* ---- the screen ---- */

static size_t rows_on_screen(void)
{
	return LINES > HEADER_ROWS ? (size_t)(LINES - HEADER_ROWS) : 0;
}

/* " LOW..HIGH": what the first and the last cell stand for. */
static void format_range(const struct top *t, const struct spark_range *r,
			 char text[80])
{
	char low[32], high[32];

	text[0] = '\0';
	if (!r->is_any)
		return;
	spark_label(&t->agg, r->first, low);
	spark_label(&t->agg, r->last, high);
	snprintf(text, 80, "  %s..%s", low, high);
}

static void draw_header(const struct top *t, const struct spark_range *r)
{
	time_t now = time(NULL);
	char text[256], range[80], clock[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	format_range(t, r, range);
	snprintf(text, sizeof(text), "%s %s  %s%s  %u of %u  %zu rows", clock,
		 t->is_paused ? "paused " : "",
		 t->lines.len ? t->title : "no values yet", range,
		 t->naggs ? t->shown + 1 : 0, t->naggs, t->lines.len);
	mvaddnstr(0, 0, text, COLS);
	snprintf(text, sizeof(text),
		 "q quit  <> sort: %s%.0u%s  r reverse  %stab next @  space pause  "
		 "arrows scroll",
		 t->sort_key ? "key " : "value", t->sort_key,
		 t->is_reversed ? " reversed" : "", t->is_hist ? "b bars  " : "");
	attron(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	mvaddnstr(1, 0, text, COLS);
	attroff(A_REVERSE);
}

/* The width of each column of keys among the rows on the screen. */
static void measure(const struct top *t, size_t end, int width[KEYS_MAX])
{
	memset(width, 0, KEYS_MAX * sizeof(*width));
	for (size_t i = t->first; i < end; i++) {
		for (uint32_t k = 0; k < t->nkeys; k++) {
			int n = (int)strlen(key_text(t, &t->lines.data[i], k));

			n = n > KEY_WIDTH && k + 1 < t->nkeys ? KEY_WIDTH : n;
			width[k] = n > width[k] ? n : width[k];
		}
	}
}

/* The share in all rows, or the histogram, beside the value. Returns the column after. */
static int draw_beside(const struct top *t, const struct line *l, int y,
		       const struct spark_range *r)
{
	char text[SPARK_CELLS + 1], share[16];
	int x = VALUE_WIDTH;

	if (t->is_hist) {
		mvaddnstr(y, x + 2, text, (int)spark_cells(r, shares_of(t, l), text));
		return x + 2 + (int)strlen(text);
	}
	if (!l->has_share)
		return x;
	snprintf(share, sizeof(share), "%7.2f%%", l->share);
	mvaddnstr(y, x, share, SHARE_WIDTH);
	return x + SHARE_WIDTH;
}

static void draw_line(const struct top *t, const struct line *l, int y,
		      const int width[KEYS_MAX], const struct spark_range *r)
{
	char value[32];
	int x;

	snprintf(value, sizeof(value), "%*" PRId64, VALUE_WIDTH, l->value);
	mvaddnstr(y, 0, value, COLS);
	x = draw_beside(t, l, y, r) + 2;
	for (uint32_t k = 0; k < t->nkeys && x < COLS; k++) {
		const char *text = key_text(t, l, k);
		int room = COLS - x < width[k] ? COLS - x : width[k];

		mvaddnstr(y, x, text, room);
		x += width[k] + 2;
	}
}

/* A bar for each bucket from the first to the last. Returns the line after. */
static int draw_bars(const struct top *t, const struct line *l, int y)
{
	struct spark_range own = {0};
	char text[SPARK_BAR];

	spark_range_add(&own, t->agg.words, shares_of(t, l));
	for (uint32_t i = own.first; own.is_any && i <= own.last && y < LINES; i++) {
		spark_bar(&t->agg, i, shares_of(t, l)[i], text);
		mvaddnstr(y++, 0, text, COLS);
	}
	return y;
}

/* The last row that may be the first on the screen. */
static size_t last_first(const struct top *t, size_t rows)
{
	if (t->is_hist && t->has_bars)
		return t->lines.len ? t->lines.len - 1 : 0;
	return t->lines.len > rows ? t->lines.len - rows : 0;
}

static void draw(struct top *t)
{
	size_t rows = rows_on_screen(), end;
	struct spark_range r = range_of(t);
	int width[KEYS_MAX], y = HEADER_ROWS;

	if (t->first > last_first(t, rows))
		t->first = last_first(t, rows);
	end = t->first + rows < t->lines.len ? t->first + rows : t->lines.len;
	erase();
	draw_header(t, &r);
	measure(t, end, width);
	for (size_t i = t->first; i < end && y < LINES; i++) {
		draw_line(t, &t->lines.data[i], y++, width, &r);
		if (t->is_hist && t->has_bars)
			y = draw_bars(t, &t->lines.data[i], y);
	}
	/* The program of -c may have written to the same terminal. */
	redrawwin(stdscr);
	refresh();
}

static void sort_and_draw(struct top *t)
{
	if (t->lines.len)
		qsort_r(t->lines.data, t->lines.len, sizeof(*t->lines.data),
			compare_lines, t);
	draw(t);
}

void top_draw(struct top *t)
{
	if (!t->is_paused)
		take_rows(t);
	if (t->naggs && t->shown >= t->naggs) {
		t->shown = t->naggs - 1;
		take_rows(t);
	}
	sort_and_draw(t);
}

/* ---- keys ---- */

static void scroll_by(struct top *t, int64_t n)
{
	if (n < 0 && (uint64_t)-n > t->first)
		t->first = 0;
	else
		t->first += (size_t)n;
}

static void choose(struct top *t, uint32_t shown)
{
	t->shown = t->naggs ? shown % t->naggs : 0;
	t->first = 0;
	t->is_paused = false;
	take_rows(t);
}

static void act(struct top *t, int key)
{
	switch (key) {
	case '<':
	case KEY_LEFT:
		t->sort_key = t->sort_key ? t->sort_key - 1 : t->nkeys;
		break;
	case '>':
	case KEY_RIGHT:
		t->sort_key = t->sort_key < t->nkeys ? t->sort_key + 1 : 0;
		break;
	case 'r':
		t->is_reversed = !t->is_reversed;
		break;
	case 'b':
		t->has_bars = !t->has_bars;
		break;
	case '\t':
		choose(t, t->shown + 1);
		break;
	case ' ':
		t->is_paused = !t->is_paused;
		break;
	case KEY_UP:
	case KEY_DOWN:
		scroll_by(t, key == KEY_UP ? -1 : 1);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		scroll_by(t, (int64_t)rows_on_screen() * (key == KEY_PPAGE ? -1 : 1));
		break;
	case KEY_HOME:
		t->first = 0;
		break;
	default: /* KEY_RESIZE: the screen has another size; others: drawn again */
		break;
	}
}

bool top_keys(struct top *t)
{
	bool is_any = false;
	int key;

	while ((key = getch()) != ERR) {
		if (key == 'q' || key == 'Q')
			return true;
		act(t, key);
		is_any = true;
	}
	if (is_any)
		sort_and_draw(t);
	return false;
}
