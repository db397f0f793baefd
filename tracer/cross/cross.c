/* SPDX-License-Identifier: MIT */
#include "tracer/cross/cross.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/base/text.h"
#include "tracer/consume/consume.h"
#include "tracer/output/out.h"
#include "tracer/records/sources.h"
#include "tracer/targets/target.h"
#include "tracer/tracer.h"
#include "vm/base/host/fd.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "__check_"

/* What each clause is for. */
enum event { EVENT_ENTRY, EVENT_RETURN, EVENT_OTHER, EVENTS };

struct cross {
	bool by_jumps;
	int fd;
	int clause; /* enum event; EVENTS: none of our own */
	struct {
		struct dlang_probe_desc *data;
		size_t len, cap;
	} descs; /* their fields are owned */
	uint64_t jumps, breakpoints;
};

static const char *const names[EVENTS] = {"entry", "return", NULL};

/* The columns of arguments (tracer.h). */
static const struct {
	int first, args;
} columns[EVENTS] = {{1, 6}, {7, 2}, {9, 0}};

struct cross *cross_new(bool by_jumps, int fd)
{
	struct cross *c = oom_calloc(1, sizeof(*c));

	c->by_jumps = by_jumps;
	c->fd = fd;
	c->clause = EVENTS;
	return c;
}

void cross_free(struct cross *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->descs.len; i++)
		for (int f = 0; f < 4; f++)
			free((char *)(uintptr_t)c->descs.data[i].field[f]);
	vec_release(&c->descs);
	free(c);
}

/* The number of pid123 or fpid123; NULL: it is another provider. */
static const char *number_of(const char *provider)
{
	const char *p = provider + (*provider == 'f');

	if (strncmp(p, "pid", 3) != 0 || !isdigit((unsigned char)p[3]))
		return NULL;
	return p + 3;
}

static bool is_same(const struct dlang_probe_desc *a, const struct dlang_probe_desc *b)
{
	for (int f = 0; f < 4; f++)
		if (strcmp(a->field[f], b->field[f]) != 0)
			return false;
	return true;
}

static char *copy(const char *prefix, const char *s)
{
	struct strbuf b = {0};

	strbuf_puts(&b, prefix);
	strbuf_puts(&b, s);
	return b.data;
}

void cross_turn(struct cross *c, struct dlang_probe_desc *desc)
{
	const char *number = desc->id ? NULL : number_of(desc->field[0]);
	struct dlang_probe_desc own = {0};
	size_t i = 0;

	if (!number)
		return;
	for (int f = 0; f < 4; f++)
		own.field[f] = f ? copy("", desc->field[f])
				 : copy(c->by_jumps ? "fpid" : "pid", number);
	*vec_push(&c->descs) = own;
	desc->field[0] = own.field[0];
	while (!is_same(&c->descs.data[i], &own))
		i++;
	if (i + 1 == c->descs.len)
		return;
	desc->field[0] = c->descs.data[i].field[0];
	for (int f = 0; f < 4; f++)
		free((char *)(uintptr_t)own.field[f]);
	c->descs.len--;
}

size_t cross_count(const struct cross *c)
{
	return c->descs.len;
}

bool cross_next(struct cross *c)
{
	if (c->clause == EVENTS)
		return false;
	c->clause++;
	return true;
}

bool cross_description(const struct cross *c, size_t i, struct dlang_probe_desc *out)
{
	const char *name;

	if (i >= c->descs.len)
		return false;
	*out = c->descs.data[i];
	name = out->field[3];
	if (!names[c->clause]) /* whatever else there may be */
		return strcmp(name, names[EVENT_ENTRY]) != 0 &&
		       strcmp(name, names[EVENT_RETURN]) != 0;
	if (*name && !glob_match(name, names[c->clause]))
		return false;
	out->field[3] = names[c->clause];
	return true;
}

bool cross_takes(const struct cross *c, const char *name)
{
	return c->clause != EVENT_OTHER || (strcmp(name, names[EVENT_ENTRY]) != 0 &&
					    strcmp(name, names[EVENT_RETURN]) != 0);
}

/*
 * An address is compared by its place in the page: what else is mapped in the process may
 * move it. The product tells other values with the same sum apart.
 */
static void add_argument(struct strbuf *to, int column, int arg)
{
	strbuf_printf(
		to,
		"this->%1$sv = arg%3$d;"
		"this->%1$sv = this->%1$sv >= 0x10000000000 &&"
		"  this->%1$sv < 0x800000000000 ? this->%1$sv & 0xfff : this->%1$sv;"
		"@%1$s%2$d[id] = sum((this->%1$sv ^ this->%1$sv >> 31) *"
		"  0x9e3779b97f4a7c15);",
		PREFIX, column, arg);
}

/* A clause for each event. BEGIN is in place of the probes: cross_description(). */
static void add_clauses(struct strbuf *to)
{
	strbuf_puts(to, "this uint64_t " PREFIX "v;");
	for (int event = 0; event < EVENTS; event++) {
		strbuf_puts(to, "BEGIN { @" PREFIX "0[id] = count();");
		for (int arg = 0; arg < columns[event].args; arg++)
			add_argument(to, columns[event].first + arg, arg);
		strbuf_puts(to, "}");
	}
}

int cross_compile(struct cross *c, struct dlang *d, struct strbuf *messages)
{
	struct dlang_source src = {
		.name = "check", .arg0 = "check", .spec = DLANG_SPEC_NAME};
	struct dlang_program compiled;
	struct strbuf text = {0};
	int rc;

	add_clauses(&text);
	src.text = text.data;
	c->clause = -1; /* cross_next() */
	rc = dlang_compile(d, &src, &compiled, messages);
	c->clause = EVENTS;
	strbuf_release(&text);
	return rc ? -1 : 0;
}

int cross_refuse(struct err *e)
{
	return err_set(e, STATUS_PERM,
		       "check refuses destructive actions: the command runs several "
		       "times");
}

void cross_note_hits(struct cross *c, const struct keeper_release_reply *served)
{
	if (!c)
		return;
	c->jumps = served->detour_hits;
	c->breakpoints = served->breakpoint_hits;
}

/* ---- the file ---- */

struct row {
	uint32_t probe;
	uint64_t columns[TRACER_CHECK_COLUMNS];
};

struct rows {
	struct consumer *consumer;
	struct map by_probe; /* to the number + 1 */
	struct {
		struct row *data;
		size_t len, cap;
	} list;
};

static struct row *row_of(struct rows *r, uint32_t probe)
{
	uint64_t n;

	if (!map_get(&r->by_probe, probe, &n)) {
		*vec_push(&r->list) = (struct row){.probe = probe};
		n = r->list.len;
		map_set(&r->by_probe, probe, n);
	}
	return &r->list.data[n - 1];
}

static void note_value(void *ctx, const struct agg_value *x)
{
	const size_t prefix = sizeof(PREFIX) - 1;
	struct rows *r = ctx;
	struct tuple_value key;
	size_t pos = 0;
	unsigned column;

	if (strncmp(x->name, PREFIX, prefix) != 0)
		return;
	consumer_hide(r->consumer, x->number);
	column = (unsigned)(x->name[prefix] - '0');
	if (column < TRACER_CHECK_COLUMNS && x->words &&
	    agg_value_key(x, 0, &pos, &key))
		row_of(r, (uint32_t)key.number)->columns[column] +=
			(uint64_t)agg_value_number(x);
}

/* Hits that no clause saw, and updates that found no room. */
static uint64_t count_lost(const struct sources *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->list.len; i++) {
		const struct state_drops *d = state_drops(s->list.data[i]->view->state,
							  s->list.data[i]->slot);

		n += atomic_load(&d->aggs) + atomic_load(&d->records);
	}
	return n;
}

static void add_row(const struct tracer *t, const struct row *row, struct strbuf *to)
{
	const struct probe *p = probes_get(&t->probes, row->probe);

	if (!p)
		return;
	for (int f = PROBE_MODULE; f <= PROBE_NAME; f++) {
		const char *name = probes_name(&t->probes, p, (enum probe_field)f);

		if (f > PROBE_MODULE)
			strbuf_putc(to, ':');
		text_add_clean(to, name, strlen(name));
	}
	for (int i = 0; i < TRACER_CHECK_COLUMNS; i++)
		strbuf_printf(to, "\t%" PRIu64, row->columns[i]);
	strbuf_putc(to, '\n');
}

bool cross_write(const struct cross *c, struct tracer *t)
{
	struct rows rows = {.consumer = t->consumer};
	struct strbuf b = {0};
	bool is_written;
	int pid = 0;

	consumer_each_value(t->consumer, note_value, &rows);
	for (size_t i = 0; i < rows.list.len; i++)
		add_row(t, &rows.list.data[i], &b);
	for (size_t i = t->targets.len; i-- > 0;)
		if (t->targets.data[i]->is_named)
			pid = t->targets.data[i]->pid;
	strbuf_printf(&b, "end\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", pid,
		      count_lost(t->sources), c->jumps, c->breakpoints);
	is_written = fd_write_all(c->fd, b.data, b.len);
	if (!is_written)
		out_message(t->out, "check: %s", strerror(errno));
	strbuf_release(&b);
	map_release(&rows.by_probe);
	vec_release(&rows.list);
	return is_written;
}
