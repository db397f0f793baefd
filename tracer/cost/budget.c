/* SPDX-License-Identifier: MIT */
#include "tracer/cost/budget.h"
#include "tracer/cost/typical.h"
#include "tracer/output/out.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NSEC_PER_SEC 1e9
#define WINDOW	     UINT64_C(250000000) /* ns */
#define LEAST_TIME   1e7 /* of the targets in a window: less says nothing */
#define NOTICES	     5	 /* of one window; the others are counted */

struct typical_probe {
	struct typical of[COST_KINDS];
};

struct budget {
	double share;		/* of 1 */
	uint64_t begin, looked; /* of tracing; when it was looked at last, or 0 */
	double whole;		/* struct measured, when the window began */
	struct map by_probe;	/* id -> index */
	struct {
		struct typical_probe *data;
		size_t len, cap;
	} typical;
	struct {
		uint32_t *data; /* indices of all probes that are off */
		size_t len, cap;
	} off;
};

/* "5%", "0.5%" or "5". */
static bool parse_share(const char *text, double *share)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0) ||
	    strspn(text, "0123456789.") != (size_t)(end - text))
		return false;
	*share = percent / 100;
	return percent > 0 && percent <= 100;
}

int budget_new(const struct tracer *t, struct budget **b, struct err *e)
{
	double share;

	*b = NULL;
	if (!t->options.budget)
		return 0;
	if (!parse_share(t->options.budget, &share))
		return err_set(e, STATUS_INVAL, "budget is a share such as 5%%, not %s",
			       t->options.budget);
	*b = oom_calloc(1, sizeof(**b));
	(*b)->share = share;
	return 0;
}

static int dearest_first(const void *x, const void *y)
{
	double a = ((const struct measured_row *)x)->ns;
	double b = ((const struct measured_row *)y)->ns;

	return (a < b) - (a > b);
}

static struct typical_probe *typical_of(struct budget *b, uint32_t probe)
{
	uint64_t i;

	if (!map_get(&b->by_probe, probe, &i)) {
		i = b->typical.len;
		map_set(&b->by_probe, probe, i);
		*vec_push(&b->typical) = (struct typical_probe){0};
	}
	return &b->typical.data[i];
}

/* The rows become what the window has cost, as a rule, and the next one begins. */
static void end_window(struct budget *b, struct measured *m,
		       const struct cost_ways *ways)
{
	double whole = m->whole;

	m->whole -= b->whole;
	b->whole = whole;
	m->ns = 0;
	for (size_t i = 0; i < m->rows.len; i++) {
		struct measured_row *row = &m->rows.data[i];
		struct typical_probe *p = typical_of(b, row->probe);

		row->ns = 0;
		for (int kind = 0; kind < COST_KINDS; kind++)
			row->ns += typical_window(&p->of[kind], &row->of[kind],
						  ways->ns[kind]);
		m->ns += row->ns;
	}
	if (m->rows.len)
		qsort(m->rows.data, m->rows.len, sizeof(m->rows.data[0]),
		      dearest_first);
}

static bool can_switch_off(const struct tracer *t, const struct probe *p)
{
	return p && p->provider && !p->is_off && p->nenablings > 0 &&
	       provider_source(t, p).by == SOURCE_SITES;
}

static void notice(const struct budget *b, const struct tracer *t,
		   const struct measured_row *row, double whole)
{
	struct strbuf name = {0};

	measured_add_name(t, row->probe, &name);
	out_message(t->out,
		    "budget: %s is switched off after %.2f s: it took %.3g%% of the "
		    "targets' time",
		    name.data, (double)(b->looked - b->begin) / NSEC_PER_SEC,
		    measured_percent(row->ns, whole));
	strbuf_release(&name);
}

/* The probe fires no more. False: it cannot be switched off. */
static bool switch_off(struct budget *b, struct tracer *t, uint32_t id)
{
	struct probe *p = probes_get(&t->probes, id);

	if (!can_switch_off(t, p) || !meter_switch_off(t->state, id))
		return false;
	p->is_off = true;
	*vec_push(&b->off) = id - 1;
	return true;
}

/* Has the sites taken out of the targets. If that fails, their hits do nothing. */
static void send_off(const struct budget *b, struct tracer *t)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_OFF}, .nfds = 1};
	struct err e;

	req.msg.memory.bytes = b->off.len * sizeof(*b->off.data);
	req.fds[0] = link_memfd(b->off.data, req.msg.memory.bytes);
	if (req.fds[0] < 0)
		return;
	if (link_call(&t->link, &req, NULL, NULL, &e) && e.status != STATUS_LINK)
		out_message(t->out, "cannot take out sites: %s", e.text);
	close(req.fds[0]);
}

/* Switches off the most expensive ones of a window, until the others fit. */
static void cut(struct budget *b, struct tracer *t, const struct measured *m)
{
	size_t before = b->off.len;
	double ns = m->ns;

	for (size_t i = 0; i < m->rows.len && ns > b->share * m->whole; i++) {
		const struct measured_row *row = &m->rows.data[i];

		if (row->ns <= 0 || !switch_off(b, t, row->probe))
			continue;
		ns -= row->ns;
		if (b->off.len - before <= NOTICES)
			notice(b, t, row, m->whole);
	}
	if (b->off.len - before > NOTICES)
		out_message(t->out, "budget: %zu more probes are switched off",
			    b->off.len - before - NOTICES);
	if (b->off.len > before)
		send_off(b, t);
}

void budget_turn(struct budget *b, struct tracer *t, const struct cost_ways *ways,
		 uint64_t now)
{
	struct measured m = {0};
	bool is_first;

	if (!b || (b->looked && now - b->looked < WINDOW))
		return;
	is_first = !b->looked;
	b->looked = now;
	measured_now(t, ways, &m);
	if (is_first)
		b->begin = now;
	if (is_first || m.whole - b->whole >= LEAST_TIME) {
		end_window(b, &m, ways);
		if (!is_first)
			cut(b, t, &m);
	} /* else the window goes on */
	measured_release(&m);
}

void budget_report(const struct budget *b, const struct tracer *t)
{
	if (b && b->off.len)
		out_message(
			t->out,
			"the results are partial: -x budget=%s has switched off %zu "
			"probe%s",
			t->options.budget, b->off.len, b->off.len == 1 ? "" : "s");
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	map_release(&b->by_probe);
	vec_release(&b->typical);
	vec_release(&b->off);
	free(b);
}
