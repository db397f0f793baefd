/* SPDX-License-Identifier: MIT */
#include "tracer/list_sites.h"
#include "tracer/output/out.h"
#include "tracer/providers/locals.h"
#include "tracer/targets/site_report.h"
#include "tracer/targets/target.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *x, const void *y)
{
	const struct listed_site *a = x, *b = y;

	if (a->probe != b->probe)
		return a->probe < b->probe ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

void listed_sites_find(const struct tracer *t, struct listed_sites *sites)
{
	for (uint32_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		for (size_t k = 0; k < target->sites.len; k++) {
			const struct keeper_site *s = &target->sites.data[k].site;

			if (s->kind != KEEPER_SITE_HOLD)
				*vec_push(sites) = (struct listed_site){s->probe, i, k};
		}
	}
	if (sites->len)
		qsort(sites->data, sites->len, sizeof(*sites->data), compare_sites);
}

/* The first site of the probe, or of the next one that has any. */
static size_t first_site(const struct listed_sites *sites, uint32_t id)
{
	size_t lo = 0, hi = sites->len;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (sites->data[middle].probe < id)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* Names in the text may come from the target. */
static void print_line(struct out *o, const char *what, const char *text, size_t n)
{
	out_puts(o, what);
	out_name(o, text, n, 0, true);
	out_putc(o, '\n');
}

/* Which local variables the site of a line, or of an inlined copy, has. */
static void print_locals(struct tracer *t, const struct target *target, taddr addr,
			 const struct probe *p)
{
	struct strbuf text = {0};

	if (!p->is_mark)
		return;
	locals_list(t, &(struct local_site){addr.v, target, p}, &text);
	if (text.len)
		print_line(t->out, "\t\t\tlocals: ", text.data, text.len);
	strbuf_release(&text);
}

void listed_sites_print(struct tracer *t, const struct listed_sites *sites, uint32_t id)
{
	const struct probe *p = probes_get(&t->probes, id);

	if (!t->targets.len ||
	    (!p->provider->takes_jumps && !p->is_mark && !p->is_frame))
		return;
	out_puts(t->out, "\tSites\n");
	if (p->is_frame)
		out_puts(t->out, "\t\tnone of its own: breakpoints where frames are "
				 "left, in the functions that throw and jump\n");
	for (size_t i = first_site(sites, id);
	     i < sites->len && sites->data[i].probe == id; i++) {
		const struct target *target = t->targets.data[sites->data[i].target];
		const struct target_pending *site =
			&target->sites.data[sites->data[i].site];
		struct site_report how = site_report_of(t, target, site, NULL);

		out_printf(t->out, "\t\t0x%llx %s%s",
			   (unsigned long long)site->site.addr.v, how.tactic,
			   *how.reason ? ": " : "");
		print_line(t->out, "", how.reason, strlen(how.reason));
		print_locals(t, target, site->site.addr, p);
	}
	out_putc(t->out, '\n');
}

void listed_sites_release(struct listed_sites *sites)
{
	vec_release(sites);
}
