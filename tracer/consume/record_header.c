/* SPDX-License-Identifier: MIT */
#include "tracer/consume/record_header.h"
#include "tracer/base/provider.h"

#include "vm/base/hash.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH  32
#define FLOW_WIDTH  41
#define INDENT_STEP 2
#define THREADS_MAX 65536 /* whose last record is known; then all are forgotten */

#define FLOW_THREADS_MAX 4096 /* the same, with the functions that they are in */
#define FLOW_DEPTH_MAX	 1024 /* functions of a thread whose entry is known */
#define TID_WIDTH	 7

/* A function that was entered. */
struct flow_call {
	uint64_t function; /* hash of its name */
	uint64_t time;
};

/* The arrows of one thread. */
struct flow_thread {
	size_t indent;
	struct {
		struct flow_call *data;
		size_t len, cap;
	} calls;
	size_t beyond; /* entries of deeper ones */
};

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
	if (opt->flowindent && opt->flowtid)
		out_printf(l->out, "%3s %*s %-41s\n", "CPU", TID_WIDTH, "TID",
			   "FUNCTION");
	else if (opt->flowindent)
		out_printf(l->out, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!opt->quiet)
		out_printf(l->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

static void make_prefix(struct record_header *l, const struct record *r,
			const struct probe *p)
{
	struct out *o = l->out;
	const char *function = name_of(l, p, PROBE_FUNCTION);
	const char *name = name_of(l, p, PROBE_NAME);
	size_t n = strlen(name), after = n + 1;

	out_int(o, r->cpu, 3);
	out_putc(o, ' ');
	out_int(o, r->probe, 6);
	out_putc(o, ' ');
	out_name(o, function, strlen(function),
		 after < NAME_WIDTH ? NAME_WIDTH - after : 0, false);
	out_putc(o, ':');
	out_name(o, name, n, 0, true);
	out_putc(o, ' ');
}

/* Records of a probe on one processor have the same: the last ones are kept. */
static void print_prefix(struct record_header *l, const struct record *r,
			 const struct probe *p)
{
	struct record_prefix *kept = &l->prefixes[r->probe % RECORD_PREFIXES];
	struct out *o = l->out;
	const size_t before = o->len;

	if (kept->len && kept->probe == r->probe && kept->cpu == r->cpu) {
		out_write(o, kept->text, kept->len);
		return;
	}
	make_prefix(l, r, p);
	kept->len = 0;
	/* It is not all there if the buffer was written meanwhile. */
	if (o->len <= before || o->len - before > sizeof(kept->text))
		return;
	kept->probe = r->probe;
	kept->cpu = r->cpu;
	kept->len = o->len - before;
	memcpy(kept->text, o->buffer + before, kept->len);
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

/* A frame that is left without a return ends the call as well. */
static bool is_unwound(const char *name)
{
	return strcmp(name, "unwound") == 0;
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
	if (is_or_ends_in(name, "return") || is_unwound(name)) {
		if (next && next->kind == RECORD_DATA && next->tid == r->tid &&
		    is_same_firing(next, place_of(r)))
			return FLOW_NONE;
		return FLOW_RETURN;
	}
	return FLOW_NONE;
}

static void forget_threads(struct record_header *l)
{
	for (size_t i = 0; i < l->threads.len; i++)
		vec_release(&l->threads.data[i].calls);
	l->threads.len = 0;
	map_release(&l->by_tid);
}

static struct flow_thread *thread_of(struct record_header *l, const struct record *r)
{
	uint64_t n;

	if (map_get(&l->by_tid, r->tid, &n))
		return &l->threads.data[n];
	if (l->threads.len >= FLOW_THREADS_MAX)
		forget_threads(l);
	map_set(&l->by_tid, r->tid, l->threads.len);
	*vec_push(&l->threads) = (struct flow_thread){.indent = 0};
	return &l->threads.data[l->threads.len - 1];
}

static void note_entry(struct flow_thread *t, uint64_t function, uint64_t time)
{
	if (t->calls.len < FLOW_DEPTH_MAX)
		*vec_push(&t->calls) = (struct flow_call){function, time};
	else
		t->beyond++;
}

/*
 * How many functions a return ends, and the time of the entry that it belongs to; 0: not
 * known. Functions that were entered after it have not returned, as after longjmp().
 */
static size_t take_entry(struct flow_thread *t, uint64_t function, uint64_t *time)
{
	const size_t n = t->calls.len;

	*time = 0;
	if (t->beyond) {
		t->beyond--;
		return 1;
	}
	for (size_t i = n; i > 0; i--) {
		if (t->calls.data[i - 1].function != function)
			continue;
		t->calls.len = i - 1;
		*time = t->calls.data[i - 1].time;
		return n - t->calls.len;
	}
	return 1;
}

/* " (12.3 us)"; empty if the entry is not known. */
static void duration_text(char *to, size_t size, uint64_t from, uint64_t until)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	uint64_t ns = until - from, unit = 1;
	size_t i = 0;

	to[0] = '\0';
	if (!from || until < from)
		return;
	for (; ns / unit >= 1000 && i + 1 < ARRAY_LEN(units); i++)
		unit *= 1000;
	if (i == 0)
		snprintf(to, size, " (%" PRIu64 " ns)", ns);
	else
		snprintf(to, size, " (%.1f %s)", (double)ns / (double)unit, units[i]);
}

/*
 * Notes an entry. Of a return: how many functions it ends, and the text of its duration
 * for flowtime.
 */
static size_t note_flow(struct record_header *l, const struct record *r,
			const char *function, enum flow flow)
{
	struct flow_thread *t;
	uint64_t hash, from;
	size_t n;

	l->duration[0] = '\0';
	if (flow == FLOW_NONE)
		return 0;
	t = thread_of(l, r);
	hash = hash_bytes(function, strlen(function), 0);
	if (flow == FLOW_ENTRY) {
		note_entry(t, hash, r->time);
		return 0;
	}
	n = take_entry(t, hash, &from);
	if (l->options->flowtime)
		duration_text(l->duration, sizeof(l->duration), from, r->time);
	return n;
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
	const size_t ended = INDENT_STEP * note_flow(l, r, function, flow);
	size_t len,
		*indent = l->options->flowtid ? &thread_of(l, r)->indent : &l->indent;

	*indent -= min_u64(*indent, ended);
	len = *indent + strlen(mark) + strlen(function) + strlen(l->duration);
	out_int(o, r->cpu, 3);
	if (l->options->flowtid)
		out_printf(o, " %*" PRIu32, TID_WIDTH, r->tid);
	out_pad(o, ' ', 1 + *indent);
	out_puts(o, mark);
	out_name(o, function, strlen(function), 0, true);
	out_puts(o, l->duration);
	if (flow == FLOW_NONE || is_unwound(name)) {
		out_putc(o, ':');
		out_name(o, name, strlen(name), 0, true);
		len += 1 + strlen(name);
	}
	out_pad(o, ' ', 1 + (len < FLOW_WIDTH ? FLOW_WIDTH - len : 0));
	if (flow == FLOW_ENTRY)
		*indent += INDENT_STEP;
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
	forget_threads(l);
	vec_release(&l->threads);
}
