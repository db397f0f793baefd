/* SPDX-License-Identifier: MIT */
#include "tracer/output/record_header.h"
#include "tracer/base/provider.h"

#include <string.h>

#define NAME_WIDTH  32
#define FLOW_WIDTH  41
#define INDENT_STEP 2
#define THREADS_MAX 65536 /* whose last record is known; then all are forgotten */

/* The indentation of function entries and returns. */
enum flow { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

static const char *name_of(const struct record_header *l, const struct probe *p,
			   enum probe_field field)
{
	return probes_name(l->probes, p, field);
}

static void print_header(struct record_header *l)
{
	const struct options *opt = l->options;

	if (l->has_header)
		return;
	l->has_header = true;
	if (opt->flowindent)
		out_printf(l->out, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!opt->quiet)
		out_printf(l->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

static void print_prefix(struct record_header *l, const struct record *r,
			 const struct probe *p)
{
	struct out *o = l->out;
	const char *function = name_of(l, p, PROBE_FUNCTION);
	const char *name = name_of(l, p, PROBE_NAME);
	size_t len = strlen(function) + 1 + strlen(name);

	out_int(o, r->cpu, 3);
	out_putc(o, ' ');
	out_int(o, r->probe, 6);
	out_putc(o, ' ');
	if (len < NAME_WIDTH)
		out_pad(o, ' ', NAME_WIDTH - len);
	out_puts(o, function);
	out_putc(o, ':');
	out_puts(o, name);
	out_putc(o, ' ');
}

/* Whether the name is the word, or ends in "-word" as programs' own probes may. */
static bool is_or_ends_in(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && strcmp(name + n - w, word) == 0 &&
	       (n == w || name[n - w - 1] == '-');
}

/* Whether b comes from a later clause of the same firing as a. */
static bool is_same_firing(const struct record *b, uint64_t a)
{
	return b->probe == (uint32_t)(a >> 32) && b->epid > (uint32_t)a;
}

static uint64_t place_of(const struct record *r)
{
	return (uint64_t)r->probe << 32 | r->epid;
}

/*
 * Records of several clauses of one firing make one entry or return line: the
 * first of an entry, the last of a return. next is the record that follows
 * in the stream, or NULL.
 */
static enum flow flow_of(const struct record_header *l, const struct record *r,
			 const char *name, const struct record *next)
{
	uint64_t last;

	if (is_or_ends_in(name, "entry")) {
		if (map_get(&l->last, r->tid, &last) && is_same_firing(r, last))
			return FLOW_NONE;
		return FLOW_ENTRY;
	}
	if (is_or_ends_in(name, "return")) {
		if (next && next->kind == RECORD_DATA && next->tid == r->tid &&
		    is_same_firing(next, place_of(r)))
			return FLOW_NONE;
		return FLOW_RETURN;
	}
	return FLOW_NONE;
}

static void print_flow_prefix(struct record_header *l, const struct record *r,
			      const struct probe *p, enum flow flow)
{
	static const char *const marks[2][3] = {
		{"| ", " -> ", " <- "},
		{"| ", " => ", " <= "},
	};
	struct out *o = l->out;
	bool is_double = p->provider && p->provider->has_double_arrows;
	const char *mark = marks[is_double][flow];
	const char *function = name_of(l, p, PROBE_FUNCTION);
	const char *name = name_of(l, p, PROBE_NAME);
	size_t len;

	if (flow == FLOW_RETURN)
		l->indent -= l->indent ? INDENT_STEP : 0;
	len = l->indent + strlen(mark) + strlen(function);
	out_int(o, r->cpu, 3);
	out_pad(o, ' ', 1 + l->indent);
	out_puts(o, mark);
	out_puts(o, function);
	if (flow == FLOW_NONE) {
		out_putc(o, ':');
		out_puts(o, name);
		len += 1 + strlen(name);
	}
	out_pad(o, ' ', 1 + (len < FLOW_WIDTH ? FLOW_WIDTH - len : 0));
	if (flow == FLOW_ENTRY)
		l->indent += INDENT_STEP;
}

void record_header_begin(struct record_header *l, const struct record *r,
			 const struct probe *p, const struct record *next)
{
	print_header(l);
	l->is_quiet = l->options->quiet != 0;
	if (l->options->flowindent)
		print_flow_prefix(l, r, p,
				  flow_of(l, r, name_of(l, p, PROBE_NAME), next));
	else if (!l->is_quiet)
		print_prefix(l, r, p);
}

void record_header_end(struct record_header *l, const struct record *r)
{
	if (!l->is_quiet)
		out_putc(l->out, '\n');
	if (!l->options->flowindent)
		return;
	if (l->last.len >= THREADS_MAX)
		map_release(&l->last);
	map_set(&l->last, r->tid, place_of(r));
}

void record_header_release(struct record_header *l)
{
	map_release(&l->last);
}
