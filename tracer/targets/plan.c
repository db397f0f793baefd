/* SPDX-License-Identifier: MIT */
#include "tracer/targets/plan.h"
#include "tracer/output/progress.h"
#include "tracer/plancache/fits.h"
#include "tracer/plancache/plancache.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/code_image.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/procmem_window.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS	   20 /* between looks whether tracing is to end */
#define IMAGES_MAX 64 /* code images that are kept for further processes */
#define LOOK_SITES                                                                     \
	64 /* between looks whether tracing is to end, where plans are kept */

#define LARGE (UINT64_C(4) << 20) /* bytes of a module: reading it takes long */

struct code_part_list {
	struct addr_range *data; /* vec */
	size_t len, cap;
};

/* A module of one process. */
struct planner {
	struct planner *next;
	const struct module *module;
	/* NULL: its file cannot be read, or has not been read: kept plans are used. */
	struct code_image *image;
	size_t first; /* of the run's sites: the module's first one */
	struct plan_wants wants;
	struct plan_tape kept; /* plans of an earlier run */
	size_t nused;	       /* of them */
	bool uses_kept;
	struct plan_tape made; /* to be kept */
	bool keeps;
	struct hook_islands *islands;
	bool has_shadow_stack; /* the processor checks return addresses */
	bool is_confined;      /* by a seccomp filter */
};

/* Reads what rules out some jumps, from /proc/PID/status. */
static void read_status(struct planner *p, int pid)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Seccomp:", 8) == 0)
			p->is_confined = atoi(line + 8) != 0;
		if (strncmp(line, "x86_Thread_features:", 20) == 0)
			p->has_shadow_stack = strstr(line, "shstk") != NULL;
	}
	fclose(f);
}

/* The sites at one address. */
struct group {
	size_t first, n; /* in the run's sites */
};

/* The part of a function that is being planned. */
struct part {
	struct target *target;
	struct ordered_sites sites; /* of the run */
	struct planner *planners;   /* of all modules so far */
	struct planner *planner;    /* of this one */
	struct procmem_window memory;
	struct hook_function f;
	taddr floor;  /* below it, plans of the module hold the bytes */
	size_t taken; /* groups behind the range that were planned with it */
	struct {
		struct hook_probe_point *data;
		size_t len, cap;
	} wants;
	struct {
		struct group *data; /* groups[i] are the sites of wants[i] */
		size_t len, cap;
	} groups;
	struct {
		struct plan_tape_entry *data; /* kept plans of this part */
		size_t len, cap;
	} kept;
};

static struct plancache *cache_of(const struct tracer *t)
{
	return t->options.plancache == PLANCACHE_OFF ? NULL : t->plancache;
}

static bool is_large(const struct module *m)
{
	return m->hi.v - m->lo.v >= LARGE;
}

/* NULL: it cannot be read, or tracing is to end. */
static struct code_image *image_of(struct tracer *t, const struct module *m,
				   const struct code_parts *parts)
{
	const uint64_t begin = clock_now_ns(), most = t->options.searchtime;
	struct code_image *image;

	progress_at(t, "reading code", m->name, 0, 0);
	image = code_images_get(t->images, m, parts);
	if (image && !most)
		code_image_stop(image);
	while (image && !code_image_wait(image, WAIT_MS)) {
		if (progress_at(t, "reading code", m->name, 0, 0))
			return NULL;
		if (clock_now_ns() - begin > most)
			code_image_stop(image);
	}
	return image;
}

void plan_prepare(struct tracer *t, const struct module *m, bool has_many)
{
	if (!t->is_listing && t->options.searchtime && (has_many || !is_large(m)) &&
	    !plancache_knows(cache_of(t), m))
		code_images_get(t->images, m, NULL);
}

/* The number of the first site of those at the address of number i. */
static size_t first_beside(const struct ordered_sites *sites, size_t i)
{
	while (i && ordered_site(sites, i - 1)->site.addr.v ==
			    ordered_site(sites, i)->site.addr.v)
		i--;
	return i;
}

/* Sums what is wanted at one site, and its part if it is not that of the site before. */
static void sum_site(struct planner *p, const struct target_pending *s, uint64_t *part)
{
	uint64_t flags = s->may_jump;

	if (s->module == p->module)
		flags |= 2;
	if (keeper_site_event(s->site.kind) == KEEPER_SITE_RETURN)
		flags |= 4;
	if (s->module && target_pending_lo(s).v != *part) {
		*part = target_pending_lo(s).v;
		flags |= 8;
	}
	plan_wants_add(&p->wants, (s->site.addr.v - p->module->bias) << 4 | flags);
	if (flags & 8)
		plan_wants_add(&p->wants, (uint64_t)s->before << 32 | s->after);
}

/*
 * All that plans of the module depend on but for its file; `first` is the first site that
 * has it. False: nothing is kept.
 */
static bool sum_wants(const struct part *part, struct planner *p, size_t first)
{
	const struct ordered_sites *sites = &part->sites;
	const struct module *m = p->module;
	uint64_t hi = m->hi.v + HOOK_COVERED_MAX, last = 0;

	plan_wants_add(&p->wants, p->has_shadow_stack);
	for (size_t i = first_beside(sites, first); i < sites->gathered.len; i++) {
		const struct target_pending *s = ordered_site(sites, i);

		if (s->site.addr.v >= hi)
			break;
		if (s->module && s->module != m && s->site.addr.v < m->hi.v)
			return false;
		sum_site(p, s, &last);
	}
	return true;
}

/* The parts of the module that have sites, from number `first` on. */
static void find_parts(const struct part *part, const struct planner *p, size_t first,
		       struct code_part_list *out)
{
	const struct ordered_sites *sites = &part->sites;
	uint64_t last = UINT64_MAX;

	for (size_t i = first_beside(sites, first);
	     i < sites->gathered.len && out->len <= PLAN_FEW; i++) {
		const struct target_pending *s = ordered_site(sites, i);
		struct addr_range r = {target_pending_lo(s), target_pending_hi(s)};

		if (s->site.addr.v >= p->module->hi.v)
			break;
		if (s->module != p->module || r.lo.v == last)
			continue;
		last = r.lo.v;
		r.lo.v -= p->module->bias;
		r.hi.v -= p->module->bias;
		*vec_push(out) = r;
	}
}

/* For the sites from number `first` on. */
static void read_image(struct tracer *t, const struct part *part, struct planner *p,
		       size_t first)
{
	struct code_part_list list = {0};
	struct code_parts parts;

	find_parts(part, p, first, &list);
	parts = (struct code_parts){list.data, list.len};
	p->image =
		image_of(t, p->module,
			 is_large(p->module) && list.len <= PLAN_FEW ? &parts : NULL);
	vec_release(&list);
}

/* Of the module of site number `first`. */
static struct planner *planner_of(struct tracer *t, struct part *part, size_t first)
{
	const struct module *m = ordered_site(&part->sites, first)->module;
	struct planner *p = part->planners;
	bool may_keep;

	while (p && p->module != m)
		p = p->next;
	if (p)
		return p;
	p = oom_calloc(1, sizeof(*p));
	p->module = m;
	p->next = part->planners;
	part->planners = p;
	read_status(p, part->target->pid);
	p->islands = hook_islands_new();
	may_keep = cache_of(t) && sum_wants(part, p, first);
	p->uses_kept =
		may_keep && plancache_read(cache_of(t), p->module, &p->wants, &p->kept);
	p->first = first;
	if (!p->uses_kept) {
		read_image(t, part, p, first);
		p->keeps = may_keep && p->image && !code_image_is_cut(p->image);
	}
	return p;
}

static void free_planners(struct planner *p)
{
	while (p) {
		struct planner *next = p->next;

		hook_islands_free(p->islands);
		plan_tape_release(&p->kept);
		plan_tape_release(&p->made);
		free(p);
		p = next;
	}
}

/* hook/ plans with addresses of the file (st_value). */
static taddr in_file(const struct part *part, taddr at)
{
	return taddr_of(at.v - part->planner->module->bias);
}

static taddr in_memory(const struct part *part, taddr at)
{
	return module_address(part->planner->module, at.v);
}

static int read_memory(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	struct part *part = ctx;

	return procmem_window_read(&part->memory, in_memory(part, at).v, buf, n);
}

static bool has_file(const struct hook_module *m, taddr at, const uint8_t *bytes,
		     size_t n)
{
	for (size_t i = 0; i < m->ncode; i++) {
		size_t left;
		const uint8_t *p = hook_bytes_at(&m->code[i], at, &left);

		if (p)
			return n <= left && memcmp(p, bytes, n) == 0;
	}
	return false;
}

/* The same while plans are made that may be kept: those for changed code are not. */
static int read_to_keep(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	struct part *part = ctx;
	int rc = read_memory(ctx, at, buf, n);

	if (rc || !has_file(&part->planner->image->module, at, buf, n))
		part->planner->keeps = false;
	return rc;
}

static void give_plan(struct part *part, const struct group *g,
		      const struct hook_plan *plan)
{
	struct target_plans *plans = &part->target->plans;

	*vec_push(plans) = *plan;
	for (size_t i = g->first; i < g->first + g->n; i++)
		ordered_site(&part->sites, i)->site.plan = (uint32_t)plans->len;
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct part *part = ctx;
	const struct group *g = &part->groups.data[first];
	const struct group *last = &part->groups.data[first + n - 1];
	const struct group all = {g->first, last->first + last->n - g->first};
	struct hook_plan here = *plan;

	if (part->planner->keeps)
		plan_tape_add(&part->planner->made,
			      &(struct plan_tape_entry){*plan, (uint32_t)n, !first});
	if (plan->reason == HOOK_REASON_NONE && part->planner->is_confined)
		here = (struct hook_plan){.site = plan->site,
					  .patch = plan->site,
					  .tactic = HOOK_BREAKPOINT,
					  .reason = HOOK_REASON_SECCOMP};
	here.site = in_memory(part, here.site);
	here.patch = in_memory(part, here.patch);
	if (here.island.at.v)
		here.island.at = in_memory(part, here.island.at);
	if (first + n > part->f.nwants) {
		part->taken = first + n - part->f.nwants;
		part->floor = taddr_add(plan->patch, plan->covered);
	}
	give_plan(part, &all, &here);
}

/* Adds a probe point for the sites at one address. */
static void add_want(struct part *part, const struct group *g)
{
	const struct target_pending *s = ordered_site(&part->sites, g->first);
	struct hook_probe_point w = {.pc = in_file(part, s->site.addr)};

	for (size_t i = g->first; i < g->first + g->n; i++) {
		s = ordered_site(&part->sites, i);
		w.no_jump |= !s->may_jump;
		if (keeper_site_event(s->site.kind) == KEEPER_SITE_RETURN)
			w.is_exit = true;
		else
			w.is_before = true;
	}
	*vec_push(&part->wants) = w;
	*vec_push(&part->groups) = *g;
}

/* The sites at the address of number first. */
static struct group group_at(const struct ordered_sites *sites, size_t first)
{
	uint64_t addr = ordered_site(sites, first)->site.addr.v;
	struct group g = {first, 1};

	while (first + g.n < sites->gathered.len &&
	       ordered_site(sites, first + g.n)->site.addr.v == addr)
		g.n++;
	return g;
}

/* The number of the first of them that may take a jump, or that behind the last. */
static size_t first_of_fpid(const struct ordered_sites *sites, const struct group *g)
{
	size_t i = g->first;

	while (i < g->first + g->n && !ordered_site(sites, i)->module)
		i++;
	return i;
}

/* Sites right behind the range, which chained jumps at its end may take over. */
static void look_ahead(struct part *part, size_t next)
{
	const struct ordered_sites *sites = &part->sites;
	uint64_t end = in_memory(part, part->f.hi).v + HOOK_COVERED_MAX;
	struct group g;

	part->f.nwants = part->wants.len;
	for (;
	     next < sites->gathered.len && ordered_site(sites, next)->site.addr.v < end;
	     next += g.n) {
		g = group_at(sites, next);
		add_want(part, &g);
	}
	part->f.nafter = part->wants.len - part->f.nwants;
}

/* Reads the kept plans of the part. False: they do not fit. */
static bool read_kept(struct part *part)
{
	struct plan_tape *tape = &part->planner->kept;
	struct plan_fit fit = {&part->f, 0,
			       taddr_of(max_u64(part->f.lo.v, part->f.floor.v))};

	part->kept.len = 0;
	do {
		struct plan_tape_entry *e = vec_push(&part->kept);

		if (!plan_tape_next(tape, e) ||
		    e->begins_part != (part->kept.len == 1) || !plan_fit_next(&fit, e))
			return false;
	} while (plan_tape_goes_on(tape));
	return plan_fit_is_done(&fit);
}

/* Plans are made from here on. Those that were used hold their bytes. */
static void give_up_kept(struct tracer *t, struct part *part)
{
	struct planner *p = part->planner;
	struct plan_tape_entry e;

	plancache_reject(cache_of(t), p->module, &p->wants);
	plan_tape_rewind(&p->kept);
	for (size_t i = 0; i < p->nused && plan_tape_next(&p->kept, &e); i++)
		hook_islands_hold(p->islands, &e.plan);
	plan_tape_release(&p->kept);
	p->uses_kept = false;
	read_image(t, part, p, p->first);
	p->keeps = !p->nused && p->image && !code_image_is_cut(p->image);
}

static bool use_kept(struct tracer *t, struct part *part)
{
	size_t first = 0;

	if (!part->planner->uses_kept)
		return false;
	if (!read_kept(part)) {
		give_up_kept(t, part);
		return false;
	}
	for (size_t i = 0; i < part->kept.len; i++) {
		const struct plan_tape_entry *e = &part->kept.data[i];

		take_plan(part, &e->plan, first, e->n);
		first += e->n;
	}
	part->planner->nused += part->kept.len;
	return true;
}

static void make_plans(struct part *part)
{
	const struct hook_plan unreadable = {.tactic = HOOK_BREAKPOINT,
					     .reason = HOOK_REASON_UNREADABLE};
	struct code_image *image = part->planner->image;

	if (part->planner->keeps)
		part->f.read = read_to_keep;
	if (image && code_image_hold(image, part->f.lo, part->f.hi))
		hook_plan_function(&image->module, image->branches, &part->f);
	else
		for (size_t i = 0; i < part->f.nwants; i++)
			give_plan(part, &part->groups.data[i], &unreadable);
}

/* `next`: the first site behind the range. Returns how many from there on are planned. */
static size_t plan_part(struct tracer *t, struct part *part, size_t next)
{
	size_t planned = 0;

	look_ahead(part, next);
	part->taken = 0;
	part->f.wants = part->wants.data;
	part->f.has_shadow_stack = part->planner->has_shadow_stack;
	part->f.islands = part->planner->islands;
	part->f.read = read_memory;
	part->f.plan = take_plan;
	part->f.ctx = part;
	if (!use_kept(t, part))
		make_plans(part);
	for (size_t i = 0; i < part->taken; i++)
		planned += part->groups.data[part->f.nwants + i].n;
	part->wants.len = part->groups.len = 0;
	return planned;
}

/* For site number i. The floor holds in one module: addresses ascend, so others' are
 * never below it. */
static void begin_part(struct tracer *t, struct part *part, size_t i)
{
	const struct target_pending *s = ordered_site(&part->sites, i);
	const struct planner *before = part->planner;

	part->planner = planner_of(t, part, i);
	if (part->planner != before) {
		part->floor = taddr_of(0);
		if (before && before->image)
			code_image_release_code(before->image);
	}
	part->f = (struct hook_function){.lo = in_file(part, target_pending_lo(s)),
					 .hi = in_file(part, target_pending_hi(s)),
					 .floor = part->floor};
}

/* True: planning is to end. */
static bool show_planning(struct tracer *t, const struct part *part, size_t done)
{
	const struct planner *p = part->planner;

	return progress_at(t, "planning sites", p ? p->module->name : "", done,
			   part->sites.gathered.len);
}

struct plan_run {
	struct tracer *t;
	struct part part;
	size_t given; /* sites that were made the target's */
	size_t next;  /* all before it have their plans */
	bool is_done; /* all have */
};

struct plan_run *plan_begin(struct tracer *t, struct target *target)
{
	struct plan_run *run = oom_calloc(1, sizeof(*run));

	run->t = t;
	run->part = (struct part){.target = target, .memory.memory = target->memory};
	if (!target->sites.len)
		return run;
	for (size_t i = 0; i < t->nproviders; i++)
		if (t->providers[i]->add_sites)
			t->providers[i]->add_sites(t, target);
	pending_sites_order(t, target, &run->part.sites);
	pending_sites_refuse(t, target, &run->part.sites);
	return run;
}

/* Plans what has been gathered of a part; `next` is the first site behind it. */
static size_t finish_part(struct plan_run *run, size_t next)
{
	next += plan_part(run->t, &run->part, next);
	run->next = next;
	return next;
}

static bool uses_kept(const struct part *part)
{
	return part->planner && part->planner->uses_kept;
}

/*
 * Takes a group of sites. False: it is behind the part, which is to be finished first.
 */
static bool take_group(struct plan_run *run, const struct group *g)
{
	struct part *part = &run->part;
	size_t s = first_of_fpid(&part->sites, g);
	bool is_of_fpid = s < g->first + g->n;

	if (part->wants.len && ordered_site(&part->sites, g->first)->site.addr.v >=
				       in_memory(part, part->f.hi).v)
		return false;
	if (is_of_fpid && !part->wants.len)
		begin_part(run->t, part, s);
	if (is_of_fpid || part->wants.len)
		add_want(part, g);
	else
		run->next = g->first + g->n;
	return true;
}

/* Plans sites until `goal` of them, or a few more, have their plans. */
static void plan_until(struct plan_run *run, size_t goal)
{
	struct part *part = &run->part;
	const size_t n = part->sites.gathered.len;
	size_t i = run->next;

	for (size_t looks = 0; i < n && run->next < goal; looks++) {
		struct group g = group_at(&part->sites, i);

		if ((looks % LOOK_SITES == 0 || !uses_kept(part)) &&
		    show_planning(run->t, part, i))
			break;
		if (take_group(run, &g))
			i += g.n;
		else
			i = finish_part(run, i);
	}
	if (part->wants.len && i == n)
		finish_part(run, i);
	run->is_done = i == n;
}

/* The sites up to `end` become the target's. */
static void give_sites(struct plan_run *run, size_t end)
{
	struct ordered_sites *all = &run->part.sites;
	struct target_sites *to = &run->part.target->sites;
	size_t n = end - run->given;

	if (n == all->gathered.len && !all->order) {
		vec_release(to);
		*to = all->gathered;
		all->gathered = (struct target_sites){0};
	} else if (n > to->cap) {
		vec_release(to);
		to->data = oom_realloc(NULL, n * sizeof(*to->data));
		to->cap = n;
	}
	to->len = n;
	if (all->gathered.data) {
		for (size_t i = 0; i < n; i++)
			to->data[i] = *ordered_site(all, run->given + i);
		pending_sites_drop(all, run->given, n);
	}
	run->given = end;
}

/* Room for a plan of each site: growing would take twice as much, and leave holes. */
static void make_room(struct target_plans *plans, size_t n)
{
	plans->len = 0;
	if (n <= plans->cap)
		return;
	vec_release(plans);
	plans->data = oom_realloc(NULL, n * sizeof(*plans->data));
	plans->cap = n;
}

bool plan_next(struct plan_run *run, size_t most)
{
	size_t left = run->part.sites.gathered.len;

	left -= min_u64(run->given, left);
	if (!left)
		return false;
	most = min_u64(most, left);
	make_room(&run->part.target->plans, most);
	run->part.target->sites.len = 0;
	plan_until(run, run->given + most);
	if (tracer_is_interrupted(run->t))
		return false;
	give_sites(run, run->next);
	return true;
}

size_t plan_done(const struct plan_run *run)
{
	return run->given;
}

size_t plan_total(const struct plan_run *run)
{
	return max_u64(run->part.sites.gathered.len, run->given);
}

static void keep_plans(const struct plan_run *run)
{
	for (const struct planner *p = run->part.planners; p; p = p->next)
		if (run->is_done && p->keeps)
			plancache_write(cache_of(run->t), p->module, &p->wants,
					&p->made);
}

void plan_end(struct plan_run *run)
{
	struct tracer *t = run->t;

	keep_plans(run);
	pending_sites_release(&run->part.sites);
	vec_release(&run->part.wants);
	vec_release(&run->part.groups);
	vec_release(&run->part.kept);
	procmem_window_release(&run->part.memory);
	free_planners(run->part.planners);
	code_images_trim(t->images,
			 t->options.follow || t->targets.len > 1 ? IMAGES_MAX : 0);
	free(run);
}

void plan_sites(struct tracer *t, struct target *target)
{
	struct plan_run *run = plan_begin(t, target);

	if (!plan_next(run, SIZE_MAX))
		give_sites(run, run->part.sites.gathered.len);
	plan_end(run);
}
