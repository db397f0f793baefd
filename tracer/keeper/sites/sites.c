/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/sites.h"
#include "tracer/keeper/sites/detour_install.h"
#include "tracer/keeper/sites/trap_prepare.h"
#include "tracer/keeper/threads/detour_remove.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/inject/growth.h"
#include "tracer/keeper/inject/inject.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Code that is read at once; a page among detours, where breakpoints are rare. */
#define WINDOW	     65536
#define WINDOW_SMALL 4096

#define CLUSTER (UINT64_C(512) << 20) /* sites this near share an area of slots */

#define REFUSED	 UINT32_MAX
#define DETOURED (UINT32_MAX - 1)

/* One request. */
struct batch {
	struct keeper *keeper;
	struct process *process; /* may be freed on the way: see is_current() */
	int pid;
	struct space *space;
	struct keeper_site *sites; /* shared with the front: each field is read once */
	uint32_t nsites, nranges, nplans, nplaces;
	const struct addr_range *ranges;
	const struct keeper_places *places;
	const struct hook_plan *plans;
	uint32_t first_range;  /* number of ranges[0] in space.ranges */
	uint32_t *index;       /* of each site in space.bpts, or REFUSED, or DETOURED */
	struct bpt_list fresh; /* new sites, by index */
	uint8_t *why;	       /* of each site that has a plan and no detour */
	struct detour_requests requests;
	struct detour_probe *probes; /* of all sites; requests refer to them */
	struct bpt_list demoted;     /* numbers of detours that become breakpoints */
	enum keeper_reason no_slot;  /* why some sites get no slot */
	struct procfs_maps maps;
	uint8_t code[INSN_MAX];
	uint8_t window[WINDOW]; /* as it is in memory, with bytes of ours */
	uint64_t window_lo;
	size_t window_len;
};

/* The front wants no more sites. */
static bool is_over(const struct batch *b)
{
	return detour_requests_are_over(&b->requests);
}

/* The program's own code at addr: *n bytes, INSN_MAX but at the end of a mapping. */
static const uint8_t *code_at(struct batch *b, uint64_t addr, size_t *n)
{
	if (addr < b->window_lo || b->window_len < INSN_MAX ||
	    addr - b->window_lo > b->window_len - INSN_MAX) {
		const struct procfs_area *area =
			procfs_maps_find(&b->maps, taddr_of(addr));
		uint64_t room = area ? area->range.hi.v - addr : 0;

		b->window_lo = addr;
		b->window_len =
			min_u64(room, b->space->detours ? WINDOW_SMALL : WINDOW);
		if (!room || mem_read(b->space->mem, taddr_of(addr), b->window,
				      b->window_len) < 0) {
			b->window_len = 0;
			return NULL;
		}
	}
	*n = min_u64(INSN_MAX, b->window_lo + b->window_len - addr);
	memcpy(b->code, b->window + (addr - b->window_lo), *n);
	space_hide(b->space, taddr_of(addr), b->code, *n);
	return b->code;
}

/* Makes a new site. NULL: there can be none, and *why is set. */
static const struct bpt_site *make_site(struct batch *b, taddr addr,
					enum keeper_reason *why)
{
	const struct procfs_area *area = procfs_maps_find(&b->maps, addr);
	struct bpt_site *site;
	const uint8_t *code;
	size_t n;

	*why = KEEPER_REASON_NONE;
	/* A breakpoint there would be in all of them. */
	if (area && area->is_shared)
		*why = KEEPER_REASON_SHARED_MEMORY;
	else if (area && !area->is_executable)
		*why = KEEPER_REASON_NOT_CODE;
	if (*why != KEEPER_REASON_NONE)
		return NULL;
	code = code_at(b, addr.v, &n);
	if (!code) {
		*why = KEEPER_REASON_UNREADABLE;
		return NULL;
	}
	site = bpt_make(&b->space->bpts, addr, code, n, why);
	if (site)
		site->may_change = area && area->is_writable;
	return site;
}

static void refuse(struct batch *b, uint32_t i, enum keeper_reason reason)
{
	b->index[i] = REFUSED;
	b->sites[i].result = KEEPER_SITE_REFUSED;
	b->sites[i].reason = (uint8_t)reason;
}

static bool has_operands(const struct keeper_site *s)
{
	return keeper_site_convention(s->kind) == REGS_CONVENTION_NOTE;
}

static bool is_good_hit(const struct batch *b, const struct keeper_site *s)
{
	if (keeper_site_event(s->kind) == KEEPER_SITE_HOLD
		    ? s->kind != KEEPER_SITE_HOLD || s->arg0 >= KEEPER_LEAVES
		    : keeper_site_convention(s->kind) >= REGS_CONVENTIONS)
		return false;
	if (keeper_site_role(s->kind) >= TAIL_ROLES)
		return false;
	if (s->kind != KEEPER_SITE_HOLD && s->probe >= b->keeper->program.nprobes)
		return false;
	if (has_operands(s))
		return s->first_range < b->keeper->program.noperands && !s->nranges &&
		       keeper_site_event(s->kind) != KEEPER_SITE_RETURN;
	return (uint64_t)s->first_range + s->nranges <= b->nranges;
}

/* The key of an address; *next: the first place that may have later ones. */
static uint32_t place_of(const struct batch *b, uint32_t *next, taddr addr)
{
	for (; *next < b->nplaces; ++*next) {
		const struct keeper_places p = b->places[*next];

		if (addr.v < p.code.lo.v)
			break;
		if (addr.v < p.code.hi.v)
			return (uint32_t)(p.first + (addr.v - p.code.lo.v));
	}
	return 0;
}

static int check_all(struct batch *b, struct err *e)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < b->nsites; i++) {
		const struct keeper_site s = b->sites[i];

		if (!is_good_hit(b, &s))
			return err_set(e, STATUS_BADFMT, "site number %u is malformed",
				       i);
		b->probes[i].addr = s.addr;
		b->probes[i].hit = (struct bpt_hit){
			.probe = s.probe,
			.arg0 = s.arg0,
			.first_range =
				s.first_range + (has_operands(&s) ? 0 : b->first_range),
			.nranges = s.nranges,
			.place = place_of(b, &place, s.addr),
			.kind = s.kind,
		};
	}
	return 0;
}

/* The number of sites from first on at one address. */
static uint32_t group(const struct batch *b, uint32_t first)
{
	uint32_t n = 0;

	while (first + n < b->nsites &&
	       b->probes[first + n].addr.v == b->probes[first].addr.v)
		n++;
	return n;
}

/* The plan of the site, if it is for a detour. *n: its sites, from first on. */
static bool fetch_plan(const struct batch *b, uint32_t first, struct hook_plan *plan,
		       uint32_t *n)
{
	uint32_t number = b->sites[first].plan;

	*n = 0;
	if (!number || number > b->nplans)
		return false;
	*plan = b->plans[number - 1];
	if (!hook_plan_is_sound(plan))
		return false;
	for (; first + *n < b->nsites && b->sites[first + *n].plan == number; (*n)++) {
		const struct detour_probe *p = &b->probes[first + *n];

		if (p->hit.kind == KEEPER_SITE_HOLD ||
		    detours_find_site(plan, p->addr, p->hit.kind) < 0)
			return false;
	}
	return true;
}

static void note_demoted(struct batch *b, const struct detour *detour)
{
	for (size_t i = 0; i < b->demoted.len; i++)
		if (b->demoted.data[i] == detour->number)
			return;
	*vec_push(&b->demoted) = detour->number;
}

/* The request whose bytes hold addr. Addresses ascend: it can only be the last one. */
static struct detour_request *request_over(const struct batch *b, taddr addr)
{
	struct detour_request *last =
		b->requests.len ? &b->requests.data[b->requests.len - 1] : NULL;

	return last && addr.v < last->plan.patch.v + hook_plan_held(&last->plan) ? last
										 : NULL;
}

/* Whether the detour has a place for all n probes from first on. */
static bool has_all(const struct batch *b, const struct detour *detour, uint32_t first,
		    uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		if (detours_find_site(&detour->plan, b->probes[i].addr,
				      b->probes[i].hit.kind) < 0)
			return false;
	return true;
}

/* Whether no probe of the batch, breakpoint or detour has bytes of the island. */
static bool is_island_free(const struct batch *b, const struct hook_island *island)
{
	const struct addr_range bytes = {island->at,
					 taddr_add(island->at, island->covered)};
	uint32_t lo = 0, end = b->nsites;

	while (lo < end) {
		uint32_t mid = lo + (end - lo) / 2;

		if (b->probes[mid].addr.v < bytes.lo.v)
			lo = mid + 1;
		else
			end = mid;
	}
	return (lo == b->nsites || b->probes[lo].addr.v >= bytes.hi.v) &&
	       !bpt_has_within(&b->space->bpts, bytes) &&
	       !(b->space->detours && detours_find_in(b->space->detours, bytes));
}

/* Requests a detour for the n sites from first on. False: other sites are in its way. */
static bool want_detour(struct batch *b, uint32_t first, uint32_t n,
			const struct hook_plan *plan)
{
	const struct detours *detours = b->space->detours;
	uint64_t lo = min_u64(plan->site.v, plan->patch.v);
	const struct addr_range bytes = {
		taddr_of(lo), taddr_of(plan->patch.v + hook_plan_held(plan))};
	const struct detour *old = detours ? detours_find_in(detours, bytes) : NULL;
	struct detour_request *j;

	if ((old && !has_all(b, old, first, n)) ||
	    bpt_has_within(&b->space->bpts, bytes) || request_over(b, taddr_of(lo)) ||
	    (first && b->probes[first - 1].addr.v >= lo) ||
	    (!old && plan->island.at.v && !is_island_free(b, &plan->island)))
		return false;
	j = vec_push(&b->requests);
	*j = (struct detour_request){
		.plan = *plan, .probes = b->probes + first, .nprobes = n};
	if (old) {
		j->plan = old->plan;
		j->number = old->number;
		j->is_joining = true;
	}
	return true;
}

/* The n sites from first on become breakpoints, as do those of a detour there. */
static void want_breakpoints(struct batch *b, uint32_t first, uint32_t n)
{
	struct detour_request *over = request_over(b, b->probes[first].addr);
	const struct detour *old =
		b->space->detours
			? detours_find(b->space->detours, b->probes[first].addr)
			: NULL;

	if (over)
		over->reason = KEEPER_REASON_SHARED;
	for (uint32_t k = first; k < first + n; k++)
		b->why[k] =
			b->sites[k].plan ? KEEPER_REASON_SHARED : KEEPER_REASON_NONE;
	if (old)
		note_demoted(b, old);
}

/* Which detours are requested, and which have to go. */
static void plan_detours(struct batch *b)
{
	uint32_t n;

	for (uint32_t i = 0; i < b->nsites && !is_over(b); i += n) {
		struct hook_plan plan;

		if (fetch_plan(b, i, &plan, &n) && want_detour(b, i, n, &plan))
			continue;
		n = group(b, i);
		want_breakpoints(b, i, n);
	}
}

/* Installs the detours that can be installed; the other sites get their reason. */
static int install_detours(struct batch *b)
{
	int status;

	plan_detours(b);
	status = detour_install(b->keeper, b->process, &b->requests);
	if (status < 0)
		return status;
	for (size_t i = 0; i < b->requests.len; i++) {
		const struct detour_request *j = &b->requests.data[i];
		size_t first = (size_t)(j->probes - b->probes);

		for (size_t k = first - j->nleft; k < first; k++)
			b->why[k] = (uint8_t)j->left_reason;
		for (size_t k = first; k < first + j->nprobes; k++) {
			b->why[k] = (uint8_t)j->reason;
			if (j->reason == KEEPER_REASON_NONE)
				b->index[k] = DETOURED;
		}
		/* It could not join the detour that is there: that goes as well. */
		if (j->is_joining && j->reason != KEEPER_REASON_NONE)
			note_demoted(b, &b->space->detours->list.data[j->number]);
	}
	return 0;
}

/* Prepares the breakpoints of the detours that have to go, without their bytes. */
static void plan_demoted(struct batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->demoted.len; i++) {
		uint32_t number = b->demoted.data[i];

		/* else the detour stays, and the new site is refused */
		if (detour_remove_prepare(
			    b->space, &b->space->detours->list.data[number], &b->fresh))
			b->demoted.data[n++] = number;
	}
	b->demoted.len = n;
}

static void remove_demoted(struct batch *b)
{
	const struct detour_removal u = {b->keeper, b->space, NULL, b->demoted.data,
					 b->demoted.len};

	if (b->demoted.len)
		detour_remove(&u);
}

/* The site at the address, but for one of other code that was there before. */
static const struct bpt_site *living_site(const struct batch *b, taddr at)
{
	const struct bpt_site *site = bpt_find(&b->space->bpts, at);

	if (!site || !site->is_retired)
		return site;
	bpt_forget(&b->space->bpts, (struct addr_range){at, taddr_add(at, 1)});
	return NULL;
}

static void plan_all(struct batch *b)
{
	for (uint32_t i = 0; i < b->nsites && !is_over(b); i++) {
		const struct keeper_site s = b->sites[i];
		const struct bpt_site *old = living_site(b, s.addr);
		const struct bpt_site *site = old;
		enum keeper_reason why;

		if (b->index[i] == DETOURED)
			continue;
		detour_requests_count(&b->requests, 1);
		if (s.result == KEEPER_SITE_REFUSED) {
			refuse(b, i, (enum keeper_reason)s.reason);
			continue;
		}
		if (!old)
			site = make_site(b, s.addr, &why);
		if (!site) {
			refuse(b, i, why);
			continue;
		}
		b->index[i] = bpt_number(&b->space->bpts, site);
		if (!old)
			*vec_push(&b->fresh) = b->index[i];
	}
	bpt_sort(&b->space->bpts, &b->fresh);
}

/* The sites from first on that share a new area of slots: their number and range. */
static size_t cluster(const struct batch *b, size_t first, struct addr_range *range)
{
	size_t n = 0;

	for (size_t i = first; i < b->fresh.len; i++) {
		const struct bpt_site *s = &b->space->bpts.sites.data[b->fresh.data[i]];

		if (s->how != STEP_XOL)
			continue;
		if (!n)
			range->lo = s->in.addr;
		if (s->in.addr.v - range->lo.v > CLUSTER)
			break;
		range->hi = taddr_add(s->in.addr, s->in.len);
		n++;
	}
	return n;
}

static int map_areas(struct batch *b, struct remote_call *r)
{
	struct addr_range range = {{0}, {0}};
	size_t i = 0;
	int status = 0;

	while (i < b->fresh.len && status != STATUS_GONE) {
		size_t n = cluster(b, i, &range);

		if (!n)
			break;
		status = inject_xol_area(r, b->space, range, (n + 1) * STEP_SLOT_MAX);
		if (status == STATUS_UNSUP)
			b->no_slot = KEEPER_REASON_DISPATCHED;
		while (i < b->fresh.len &&
		       b->space->bpts.sites.data[b->fresh.data[i]].in.addr.v <
			       range.hi.v)
			i++;
	}
	return status;
}

/* Of code that has gone. */
static void recycle_slots(const struct batch *b)
{
	const struct process *p = b->process;
	taddr *pcs = oom_calloc(p->ntasks + 1, sizeof(*pcs));
	struct procfs_syscall call;
	size_t n = 0;

	for (const struct task *t = p->tasks; t && n < p->ntasks; t = t->next)
		if (procfs_syscall(t->tid, &call) == 0)
			pcs[n++] = call.pc;
	space_recycle_slots(b->space, pcs, n);
	free(pcs);
}

/* Breakpoints are shadowed too, where clauses in the process read its memory. */
static uint64_t shadows_needed(const struct batch *b)
{
	const struct detours *d = b->space->detours;

	return d && d->shadow.is_kept ? 2 * (d->shadow.list.len + b->fresh.len) : 0;
}

static bool has_shadows(const struct batch *b)
{
	uint64_t need = shadows_needed(b);

	return !need || need <= b->space->detours->view.there.nshadows;
}

static void grow_shadows(const struct batch *b, struct remote_call *r)
{
	const struct injection in = {r, b->process, &b->keeper->program, NULL};
	const struct growth_need need = {.nshadows = shadows_needed(b)};

	if (need.nshadows)
		growth_tables(&in, &need);
}

/* Failures are not errors: the sites that get no slot are refused one by one. */
static int prepare_slots(struct batch *b)
{
	struct thread_stop q;
	struct remote_call r;
	int status;

	if (space_has_old_slots(b->space))
		recycle_slots(b);
	if (space_has_slots(b->space, &b->fresh) && has_shadows(b))
		return 0;
	status = thread_stop_begin(b->keeper, b->process, &q);
	if (status < 0)
		return status;
	if (q.task->process->space != b->space) { /* it has called exec */
		thread_stop_end(b->keeper, &q);
		return STATUS_GONE;
	}
	status = remote_call_begin(&r, &b->keeper->waits, q.task, b->space->mem);
	if (status == 0) {
		grow_shadows(b, &r);
		if (!space_has_slots(b->space, &b->fresh))
			map_areas(b, &r);
		status = remote_call_end(&r, &q.status);
	} else if (status == STATUS_PERM) {
		b->no_slot = KEEPER_REASON_FILTERED;
	}
	thread_stop_end(b->keeper, &q);
	return status;
}

/* Leaves out sites that took over from detours, and those that still have one. */
static void leave_out_detoured(const struct batch *b, struct bpt_list *ready)
{
	size_t n = 0;

	for (size_t i = 0; i < ready->len; i++) {
		const struct bpt_site *s = &b->space->bpts.sites.data[ready->data[i]];

		if (!s->is_set && !detours_find(b->space->detours, s->in.addr))
			ready->data[n++] = ready->data[i];
	}
	ready->len = n;
}

/* Whether clauses will run in the keeper, at breakpoints. */
static bool has_clauses(const struct batch *b)
{
	for (uint32_t i = 0; i < b->nsites; i++)
		if (b->index[i] < DETOURED && b->probes[i].hit.kind != KEEPER_SITE_HOLD)
			return true;
	return false;
}

/* The bytes are written last: from here on threads hit them. */
static void set_bytes(struct batch *b, struct bpt_list *ready)
{
	if (has_clauses(b))
		keeper_program_warm(&b->keeper->program);
	if (b->space->detours)
		leave_out_detoured(b, ready);
	space_set_breakpoints(b->space, ready, &b->maps);
}

static void add_hits(struct batch *b)
{
	for (uint32_t i = 0; i < b->nsites; i++) {
		if (b->index[i] < DETOURED)
			bpt_add_hit(&b->space->bpts,
				    &b->space->bpts.sites.data[b->index[i]],
				    &b->probes[i].hit);
	}
}

static void report(struct batch *b, struct keeper_sites_reply *out)
{
	*out = (struct keeper_sites_reply){0};
	for (uint32_t i = 0; i < b->nsites; i++) {
		const struct bpt_site *s;

		if (b->index[i] == DETOURED) {
			b->sites[i].result = KEEPER_SITE_DETOUR;
			b->sites[i].reason = KEEPER_REASON_NONE;
		} else if (b->index[i] != REFUSED) {
			s = &b->space->bpts.sites.data[b->index[i]];
			b->sites[i].result = KEEPER_SITE_BREAKPOINT;
			b->sites[i].reason = b->why[i];
			if (!s->is_set)
				refuse(b, i,
				       s->how == STEP_XOL && !s->slot.at.v
					       ? b->no_slot
					       : KEEPER_REASON_UNWRITABLE);
		}
		if (b->index[i] == REFUSED)
			out->nrefused++;
		else
			out->nset++;
	}
}

/* Removes sites that could not be set, so that a later request tries again. */
static void drop_unset(struct batch *b)
{
	for (size_t i = 0; i < b->fresh.len; i++) {
		const struct bpt_site *s = &b->space->bpts.sites.data[b->fresh.data[i]];

		if (!s->is_set)
			bpt_drop(&b->space->bpts, s);
	}
}

/* Stops were handled on the way: the process may have called exec, or ended. */
static bool is_current(const struct batch *b)
{
	const struct process *p = process_find(&b->keeper->tasks, b->pid);

	return p && p->space == b->space;
}

/* Whether it is inside execve(2): its memory has gone, its event is still to come. */
static bool is_executing(const struct batch *b)
{
	uint8_t byte;

	return b->nsites && mem_read(b->space->mem, b->sites[0].addr, &byte,
				     sizeof(byte)) == STATUS_GONE;
}

/* The front must be able to tell a dead process from other failures. */
static int explain(const struct batch *b, struct err *e)
{
	char state = is_current(b) ? procfs_state(process_living_tid(b->process)) : 0;

	if (!state || state == 'Z' || state == 'X' || is_executing(b))
		return err_set(e, STATUS_GONE, "the process has gone");
	return err_set(e, STATUS_IO,
		       "no probes can be set: its threads or its memory "
		       "cannot be reached");
}

/* Before anything is written. */
static int prepare_end(const struct batch *b)
{
	const struct space *s = b->space;
	const struct undo_need need = {
		.sites = (uint32_t)s->bpts.sites.len + b->nsites,
		.detours = (s->detours ? (uint32_t)s->detours->list.len : 0) +
			   (b->nplans ? b->nsites : 0),
	};

	return is_over(b) ? 0 : trap_prepare(b->keeper, b->process, &need);
}

static int run(struct batch *b, struct keeper_sites_reply *out, struct err *e)
{
	struct bpt_list ready = {0};
	int status;

	if (prepare_end(b) == STATUS_GONE || !is_current(b))
		return explain(b, e);
	if (procfs_maps(process_living_tid(b->process), &b->maps) < 0)
		return explain(b, e);
	space_compact_ranges(b->space);
	b->first_range = (uint32_t)b->space->ranges.len;
	status = check_all(b, e);
	if (status < 0)
		return status;
	for (uint32_t i = 0; i < b->nranges; i++)
		*vec_push(&b->space->ranges) = b->ranges[i];
	if (install_detours(b) == STATUS_GONE || !is_current(b))
		return explain(b, e);
	plan_demoted(b);
	plan_all(b);
	if (is_over(b))
		return 0;
	/* Slots before bytes: a running thread may hit a site at once. */
	status = prepare_slots(b);
	if (!is_current(b))
		status = STATUS_GONE;
	if (status != STATUS_GONE)
		status = space_place_slots(b->space, &b->fresh, &ready);
	/* Sites that got no slot are refused one by one. */
	if (status == 0 || status == STATUS_FULL) {
		status = 0;
		add_hits(b);
		remove_demoted(b);
		set_bytes(b, &ready);
		report(b, out);
	}
	vec_release(&ready);
	return status ? explain(b, e) : 0;
}

/* Checks the header's counts against the mapping's size. */
static int open_batch(struct batch *b, void *shared, uint64_t bytes, struct err *e)
{
	struct keeper_sites *h = shared;
	uint32_t nsites = h->nsites, nranges = h->nranges, nplans = h->nplans;
	uint32_t nplaces = h->nplaces;

	if (bytes != sizeof(*h) + nsites * (uint64_t)sizeof(*b->sites) +
			     nranges * (uint64_t)sizeof(*b->ranges) +
			     nplaces * (uint64_t)sizeof(*b->places) +
			     nplans * (uint64_t)sizeof(*b->plans))
		return err_set(e, STATUS_BADFMT, "the list of sites is malformed");
	b->requests.progress = &h->progress;
	b->nsites = nsites;
	b->nranges = nranges;
	b->sites = (void *)((char *)shared + sizeof(*h));
	b->nplans = nplans;
	b->ranges = (void *)(b->sites + nsites);
	b->nplaces = nplaces;
	b->places = (const void *)(b->ranges + nranges);
	b->plans = (const void *)(b->places + nplaces);
	b->index = calloc(nsites + 1u, sizeof(*b->index));
	b->probes = calloc(nsites + 1u, sizeof(*b->probes));
	b->why = calloc(nsites + 1u, sizeof(*b->why));
	return b->index && b->probes && b->why
		       ? 0
		       : err_set(e, STATUS_NOMEM, "out of memory");
}

int sites_add(struct keeper *k, struct process *p, struct link_memory list,
	      struct keeper_sites_reply *out, struct err *e)
{
	struct batch *b;
	struct stat st;
	void *shared;
	int status;

	if (list.bytes < sizeof(struct keeper_sites) || fstat(list.fd, &st) < 0 ||
	    (uint64_t)st.st_size < list.bytes)
		return err_set(e, STATUS_BADFMT, "the list of sites is malformed");
	shared = mmap(NULL, list.bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, list.fd, 0);
	if (shared == MAP_FAILED)
		return err_errno(e, STATUS_IO, "cannot map the list of sites");
	b = calloc(1, sizeof(*b));
	status = b ? open_batch(b, shared, list.bytes, e)
		   : err_set(e, STATUS_NOMEM, "out of memory");
	if (!status) {
		b->keeper = k;
		b->process = p;
		b->pid = p->pid;
		b->space = space_ref(p->space);
		b->no_slot = KEEPER_REASON_NO_SLOT;
		status = run(b, out, e);
		drop_unset(b);
		space_unref(b->space);
	}
	if (b) {
		free(b->index);
		free(b->probes);
		free(b->why);
		vec_release(&b->requests);
		vec_release(&b->demoted);
		vec_release(&b->fresh);
		procfs_maps_release(&b->maps);
	}
	free(b);
	munmap(shared, list.bytes);
	return status;
}
