/* SPDX-License-Identifier: MIT */
#include "tracer/targets/pending_sites.h"
#include "disasm/disasm.h"
#include "symbols/symbols.h"
#include "tracer/output/out.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PART_MAX (UINT32_MAX >> 1) /* bytes of a part: target_pending.after */

static void forget_frames(struct target *target, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < target->frames.len; i++)
		if (!addr_range_holds(&r, target->frames.data[i].range.lo))
			target->frames.data[n++] = target->frames.data[i];
	target->frames.len = n;
	map_release(&target->watched);
}

static void forget_tail_functions(struct target *target, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < target->tail_functions.len; i++)
		if (!addr_range_holds(&r, target->tail_functions.data[i].module->lo))
			target->tail_functions.data[n++] =
				target->tail_functions.data[i];
	target->tail_functions.len = n;
}

void pending_sites_forget(struct target *target, struct addr_range r)
{
	forget_frames(target, r);
	forget_tail_functions(target, r);
	placed_sites_forget(&target->placed, r.lo.v, r.hi.v);
}

size_t pending_sites_at(const struct target *target, taddr addr)
{
	return placed_sites_at(&target->placed, addr.v);
}

/* Successive sites of one function share its ranges. */
static bool are_last_ranges(const struct target *target,
			    const struct pending_site *site)
{
	size_t n = site->nranges;
	const struct addr_range *last;

	if (!n || target->ranges.len < n)
		return false;
	last = target->ranges.data + target->ranges.len - n;
	for (size_t i = 0; i < n; i++)
		if (last[i].lo.v != site->ranges[i].lo.v ||
		    last[i].hi.v != site->ranges[i].hi.v)
			return false;
	return true;
}

static void set_ranges(struct target *target, const struct pending_site *site,
		       struct keeper_site *out)
{
	if (!are_last_ranges(target, site))
		for (size_t i = 0; i < site->nranges; i++)
			*vec_push(&target->ranges) = site->ranges[i];
	out->nranges = (uint32_t)site->nranges;
	out->first_range = (uint32_t)(target->ranges.len - site->nranges);
}

/* Whether its part has a place in struct target_pending. */
static bool has_part(const struct pending_site *site)
{
	return site->addr.v >= site->part.lo.v && site->addr.v <= site->part.hi.v &&
	       site->part.hi.v - site->part.lo.v <= PART_MAX;
}

void pending_sites_add(struct target *target, const struct pending_site *site)
{
	struct target_pending *out;

	if (!placed_sites_add(&target->placed, site->addr.v, site->probe))
		return;
	out = vec_push(&target->sites);
	*out = (struct target_pending){
		.site = {.addr = site->addr,
			 .probe = site->probe,
			 .kind = (uint16_t)(site->kind +
					    KEEPER_SITE_CONVENTION * site->convention +
					    KEEPER_SITE_ROLE * site->role),
			 .arg0 = site->arg0},
	};
	if (site->module && has_part(site)) {
		out->module = site->module;
		out->before = (uint32_t)(site->addr.v - site->part.lo.v);
		out->after = (uint32_t)(site->part.hi.v - site->addr.v) & PART_MAX;
	}
	if (site->kind == KEEPER_SITE_RETURN)
		set_ranges(target, site, &out->site);
	else if (site->convention == REGS_CONVENTION_NOTE)
		out->site.first_range = site->operands;
}

static bool has_resident_clauses(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);

	for (size_t i = 0; p && i < p->nenablings; i++) {
		uint32_t clause = probe_enablings(p)[i].clause;

		if (!(program_clause(t->image, clause)->contexts & CONTEXT_RESIDENT))
			return false;
	}
	return true;
}

uint32_t pending_sites_arguments(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);
	uint32_t used = 0;

	for (size_t i = 0; p && i < p->nenablings; i++)
		used |= program_arguments(
			t->image,
			program_clause(t->image, probe_enablings(p)[i].clause));
	return used;
}

/* Whether a clause uses an argument that is in a vector register at the site. */
static bool uses_vectors(const struct tracer *t, const struct keeper_site *site)
{
	uint32_t used = keeper_site_convention(site->kind) == REGS_CONVENTION_NOTE
				? pending_sites_arguments(t, site->probe)
				: 0;

	for (uint32_t i = 0; i < PROBE_OPERANDS_MAX && used; i++)
		if (used >> i & 1 && t->operands.data[site->first_range].arg[i].kind ==
					     PROBE_OPERAND_VECTOR)
			return true;
	return false;
}

bool pending_sites_can_jump(const struct tracer *t, const struct keeper_site *site)
{
	return pending_sites_can_be_resident(t, site->probe) && !uses_vectors(t, site);
}

/* A fault, and a truncated stack, fire in the context in which they occur. */
bool pending_sites_can_be_resident(const struct tracer *t, uint32_t probe)
{
	return has_resident_clauses(t, probe) && has_resident_clauses(t, PROBE_ERROR) &&
	       has_resident_clauses(t, t->diag.missed_ustack);
}

/* ---- their order ---- */

/* The answer for one clause: those that follow each other mostly have the same. */
struct answer {
	uint32_t clause; /* 1 + its number; 0: none is known */
	bool is_resident;
};

static bool is_resident(const struct tracer *t, uint32_t probe, struct answer *last)
{
	const struct probe *p = probes_get(&t->probes, probe);

	if (!p || p->nenablings != 1)
		return has_resident_clauses(t, probe);
	if (last->clause != probe_enablings(p)[0].clause + 1)
		*last = (struct answer){probe_enablings(p)[0].clause + 1,
					has_resident_clauses(t, probe)};
	return last->is_resident;
}

static void note_jumps(const struct tracer *t, struct target_sites *sites)
{
	bool may_follow = has_resident_clauses(t, PROBE_ERROR) &&
			  has_resident_clauses(t, t->diag.missed_ustack);
	struct answer last = {0};

	for (size_t i = 0; i < sites->len; i++) {
		struct target_pending *s = &sites->data[i];

		s->may_jump = may_follow && s->module &&
			      s->site.kind != KEEPER_SITE_HOLD &&
			      is_resident(t, s->site.probe, &last) &&
			      !uses_vectors(t, &s->site);
	}
}

static int compare_sites(const struct target_pending *a, const struct target_pending *b)
{
	const struct keeper_site *x = &a->site, *y = &b->site;

	if (x->addr.v != y->addr.v)
		return x->addr.v < y->addr.v ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

static bool are_sorted(const struct target_sites *sites)
{
	for (size_t i = 1; i < sites->len; i++)
		if (compare_sites(&sites->data[i - 1], &sites->data[i]) > 0)
			return false;
	return true;
}

/* Ascending runs of sites by their numbers: where each begins, and the end of all. */
struct site_runs {
	uint32_t *data; /* vec */
	size_t len, cap;
};

static void find_runs(const struct target_sites *sites, struct site_runs *out)
{
	for (size_t i = 0; i < sites->len; i++)
		if (!i || compare_sites(&sites->data[i - 1], &sites->data[i]) > 0)
			*vec_push(out) = (uint32_t)i;
	*vec_push(out) = (uint32_t)sites->len;
}

/* Merges the numbers from lo to mid with those up to hi; of equal sites the earlier. */
static void merge(const struct target_pending *sites, const uint32_t *from,
		  const uint32_t run[3], uint32_t *to)
{
	const uint32_t mid = run[1], hi = run[2];
	uint32_t a = run[0], b = mid, at = run[0];

	while (a < mid && b < hi)
		to[at++] = compare_sites(&sites[from[a]], &sites[from[b]]) <= 0
				   ? from[a++]
				   : from[b++];
	while (a < mid)
		to[at++] = from[a++];
	while (b < hi)
		to[at++] = from[b++];
}

/* One turn: half as many runs, each of two. */
static void merge_runs(const struct target_pending *sites, const uint32_t *from,
		       struct site_runs *runs, uint32_t *to)
{
	const size_t nruns = runs->len - 1;
	size_t n = 0;

	for (size_t i = 0; i < nruns; i += 2) {
		const uint32_t *r = runs->data + i;
		const uint32_t run[3] = {r[0], r[1], i + 1 < nruns ? r[2] : r[1]};

		merge(sites, from, run, to);
		runs->data[n++] = run[0];
	}
	runs->data[n++] = runs->data[nruns];
	runs->len = n;
}

/*
 * Sites are gathered in ascending runs: the entries of one module, its returns, cold
 * parts. To merge these takes a quarter of the memory of a sort, and is as fast.
 */
static uint32_t *order_of(const struct target_sites *sites)
{
	uint32_t *order = oom_realloc(NULL, sites->len * sizeof(*order));
	uint32_t *spare = oom_realloc(NULL, sites->len * sizeof(*spare));
	struct site_runs runs = {0};

	find_runs(sites, &runs);
	for (size_t i = 0; i < sites->len; i++)
		order[i] = (uint32_t)i;
	while (runs.len > 2) {
		uint32_t *from = order;

		merge_runs(sites->data, from, &runs, spare);
		order = spare;
		spare = from;
	}
	vec_release(&runs);
	free(spare);
	return order;
}

void pending_sites_order(const struct tracer *t, struct target *target,
			 struct ordered_sites *out)
{
	*out = (struct ordered_sites){.gathered = target->sites};
	target->sites = (struct target_sites){0};
	note_jumps(t, &out->gathered);
	if (!are_sorted(&out->gathered))
		out->order = order_of(&out->gathered);
}

/* ---- their memory ---- */

#define PAGE	  4096
#define NO_MEMORY UINT8_MAX /* of users: the page was given back */

_Static_assert(PAGE / sizeof(struct target_pending) + 2 < NO_MEMORY, "users of a page");

/* The page of a byte of the gathered sites, from that on which they begin. */
static size_t page_of(const struct target_sites *s, const void *byte)
{
	return (uintptr_t)byte / PAGE - (uintptr_t)s->data / PAGE;
}

static size_t count_pages(const struct target_sites *s)
{
	return page_of(s, (const char *)(s->data + s->len) - 1) + 1;
}

/* The first and the last page belong to other memory as well. */
static uint8_t *users_of(const struct target_sites *s)
{
	uint8_t *users = oom_calloc(count_pages(s), 1);

	for (size_t i = 0; i < s->len; i++)
		for (size_t page = page_of(s, &s->data[i]);
		     page <= page_of(s, (const char *)(&s->data[i] + 1) - 1); page++)
			users[page]++;
	users[0]++;
	users[count_pages(s) - 1]++;
	return users;
}

/* Gives back the pages that have no users. */
static void give_back(struct ordered_sites *sites)
{
	const uintptr_t begin = (uintptr_t)sites->gathered.data / PAGE * PAGE;
	const size_t npages = count_pages(&sites->gathered);

	for (size_t i = 0, n; i < npages; i += n ? n : 1) {
		for (n = 0; i + n < npages && !sites->users[i + n]; n++)
			sites->users[i + n] = NO_MEMORY;
		if (n && madvise((void *)(begin + i * PAGE), n * PAGE, MADV_DONTNEED))
			log_debug("sites", "their memory is kept: %s", strerror(errno));
	}
}

void pending_sites_drop(struct ordered_sites *sites, size_t first, size_t n)
{
	const struct target_sites *s = &sites->gathered;

	if (!n)
		return;
	if (!sites->users)
		sites->users = users_of(s);
	for (size_t i = first; i < first + n; i++) {
		const struct target_pending *site = ordered_site(sites, i);

		for (size_t page = page_of(s, site);
		     page <= page_of(s, (const char *)(site + 1) - 1); page++)
			sites->users[page]--;
	}
	give_back(sites);
}

void pending_sites_release(struct ordered_sites *sites)
{
	vec_release(&sites->gathered);
	free(sites->order);
	free(sites->users);
	sites->order = NULL;
	sites->users = NULL;
}

/* ---- restartable sequences ---- */

struct zones {
	struct code_zone *data; /* by address */
	size_t len, cap;
};

static int compare_zones(const void *a, const void *b)
{
	const struct code_zone *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void find_zones(const struct module_code *c, struct zones *out)
{
	for (size_t i = 0; i < c->nzones; i++)
		if (c->zones[i].kind == CODE_ZONE_RSEQ &&
		    c->zones[i].size <= UINT64_MAX - c->zones[i].value)
			*vec_push(out) = c->zones[i];
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), compare_zones);
}

/* The length of the instruction; 1 where there is none. */
static uint64_t length_at(const struct module_code *c, uint64_t at)
{
	struct insn_brief in;

	for (size_t i = 0; i < c->nareas; i++) {
		const struct code_area *a = &c->areas[i];
		uint8_t bytes[INSN_MAX];
		size_t n;

		if (at < a->value || at - a->value >= a->size)
			continue;
		n = min_u64(sizeof(bytes), a->size - (at - a->value));
		if (module_code_reread(c, a, (size_t)(at - a->value), bytes, n) &&
		    decode_brief(bytes, n, taddr_of(at), &in) == 0)
			return in.len;
	}
	return 1;
}

/* The first site at the address or behind it. */
static size_t first_from(const struct ordered_sites *sites, taddr at)
{
	size_t lo = 0, hi = sites->gathered.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ordered_site(sites, mid)->site.addr.v < at.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void refuse_in(const struct module *m, const struct module_code *c,
		      const struct ordered_sites *sites)
{
	struct zones zones = {0};
	uint64_t reach = 0; /* the end of all zones before the k-th */
	size_t k = 0;

	find_zones(c, &zones);
	for (size_t i = first_from(sites, m->lo); i < sites->gathered.len; i++) {
		struct keeper_site *s = &ordered_site(sites, i)->site;
		uint64_t at = s->addr.v - m->bias, end = at + length_at(c, at);

		if (s->addr.v >= m->hi.v)
			break;
		for (; k < zones.len && zones.data[k].value < end; k++)
			reach = max_u64(reach,
					zones.data[k].value + zones.data[k].size);
		if (reach <= at)
			continue;
		s->result = KEEPER_SITE_REFUSED;
		s->reason = KEEPER_REASON_RESTARTABLE;
	}
	vec_release(&zones);
}

void pending_sites_refuse(const struct tracer *t, const struct target *target,
			  const struct ordered_sites *sites)
{
	for (size_t i = 0; target->modules && i < target->modules->len; i++) {
		const struct module *m = target->modules->data[i];
		size_t first = first_from(sites, m->lo);
		struct module_code *c;
		struct err e;

		if (!m->has_restartable || first == sites->gathered.len ||
		    ordered_site(sites, first)->site.addr.v >= m->hi.v)
			continue;
		if (module_read_code(m, &c, &e) != 0) {
			out_message(t->out,
				    "%s: its restartable sequences are not known, and "
				    "probes in them disturb it: %s",
				    m->name, e.text);
			continue;
		}
		refuse_in(m, c, sites);
		module_code_free(c);
	}
}
