/* SPDX-License-Identifier: MIT */
#include "tracer/mapped/mapped.h"
#include "tracer/jit/jit.h"
#include "tracer/mapped/mapping_code.h"
#include "tracer/output/out.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/linkmap.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/site_batch.h"
#include "tracer/targets/target.h"
#include "vm/base/fmt.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_NS	     (20 * UINT64_C(1000000))
#define TURN_COST    20 /* a turn may take this part of the time ... */
#define TURN_MOST_NS (500 * UINT64_C(1000000)) /* ... but no longer is waited */

#define SAMPLES_MAX 256
#define TRIES	    3 /* at once, while more and more is lost */

/* ---- descriptions ---- */

/* Whether the provider field means another process only, by its number at the end. */
static bool is_for_another(const struct target *target, const char *field)
{
	const char *digits = field + strlen(field);
	uint64_t pid;

	while (digits > field && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return *digits && !glob_is_pattern(field) &&
	       (fmt_parse_u64(digits, strlen(digits), 10, &pid) ||
		pid != (uint64_t)target->family);
}

static bool names_target(const struct tracer *t, const struct target *target,
			 const char *field)
{
	for (size_t i = 0; i < t->nproviders; i++) {
		const struct provider *p = t->providers[i];

		if (!p->provide_object)
			continue;
		if (p->names_family ? p->names_family(p, field, target->family)
				    : p->names_process && p->names_process(p, field) &&
					      !is_for_another(target, field))
			return true;
	}
	return false;
}

static void ignore_module(void *ctx, struct module *m)
{
	(void)ctx;
	(void)m;
}

/* Whether objects that are mapped later may have probes of the description. */
static bool may_match(const struct tracer *t, const struct target *target,
		      const struct trace_spec *spec)
{
	const char *module = spec->field[1];

	if (spec->id || strcmp(module, JIT_MODULE) == 0 ||
	    strcmp(spec->field[2], "-") == 0 ||
	    !names_target(t, target, spec->field[0]))
		return false;
	return !*module || glob_is_pattern(module) ||
	       !modules_select(target->modules, module, ignore_module, NULL);
}

/* Whether there may be sites in it: code with sites may be moved. */
static bool may_have_sites(const struct tracer *t, const struct target *target)
{
	for (size_t i = 0; i < t->specs.len; i++)
		if (t->specs.data[i].id ||
		    names_target(t, target, t->specs.data[i].field[0]))
			return true;
	return false;
}

static bool is_to_be_watched(const struct tracer *t, const struct target *target)
{
	for (size_t i = 0; i < t->specs.len; i++)
		if (may_match(t, target, &t->specs.data[i]))
			return true;
	return false;
}

/* ---- hold sites ---- */

static bool is_among(const taddr *list, size_t n, taddr at)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].v == at.v)
			return true;
	return false;
}

static void hold_at(struct target *target, const struct mapping_place *place)
{
	pending_sites_add(target, &(struct pending_site){.kind = KEEPER_SITE_HOLD,
							 .addr = place->at,
							 .arg0 = place->hold});
}

/* Where a probe is too, the site stays. */
static void drop_call(struct tracer *t, struct target *target, taddr at)
{
	const struct addr_range r = {at, taddr_add(at, 1)};
	struct link_request req = {.msg = {.type = KEEPER_REQ_DROP,
					   .pid = target->pid,
					   .forget = {r.lo, r.hi}}};
	struct err ignored; /* the exit of a dead target is an event */

	if (pending_sites_at(target, at) > 1)
		return;
	link_call(&t->link, &req, NULL, NULL, &ignored);
	pending_sites_forget(target, r);
	keeper_death_forget(target, r);
}

static void drop_calls(struct tracer *t, struct target *target)
{
	for (size_t i = 0; i < target->mapped.calls.len; i++)
		drop_call(t, target, target->mapped.calls.data[i]);
	target->mapped.calls.len = 0;
}

static void drop_moves(struct tracer *t, struct target *target)
{
	for (size_t i = 0; i < target->mapped.moves.len; i++)
		drop_call(t, target, target->mapped.moves.data[i]);
	target->mapped.moves.len = 0;
}

static bool forget_place(taddr *list, size_t *n, taddr at)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i].v == at.v) {
			list[i] = list[--*n];
			return true;
		}
	return false;
}

static void add_call(struct tracer *t, struct target *target,
		     const struct mapping_place *place)
{
	if (is_among(target->mapped.calls.data, target->mapped.calls.len, place->at))
		return;
	if (forget_place(target->mapped.moves.data, &target->mapped.moves.len,
			 place->at))
		drop_call(t, target, place->at);
	*vec_push(&target->mapped.calls) = place->at;
	hold_at(target, place);
}

static void add_move(struct target *target, const struct mapping_place *place)
{
	if (is_among(target->mapped.moves.data, target->mapped.moves.len, place->at))
		return;
	*vec_push(&target->mapped.moves) = place->at;
	hold_at(target, place);
}

/* Those that are wanted, of both kinds. Of mprotect(2) each is of one of them. */
static void add_calls(struct tracer *t, struct target *target, bool maps, bool moves)
{
	struct mapping_place places[MAPPING_PLACES_MAX];
	size_t n = maps || moves ? mapping_code_find(target, places) : 0;

	for (size_t i = 0; i < n; i++) {
		struct mapping_place *p = &places[i];

		if (p->hold == KEEPER_HOLD_MPROTECT && !maps)
			p->hold = KEEPER_HOLD_WRITABLE;
		if (p->hold == KEEPER_HOLD_MMAP && !maps)
			continue;
		if (p->hold == KEEPER_HOLD_MMAP || p->hold == KEEPER_HOLD_MPROTECT)
			add_call(t, target, p);
		else if (moves)
			add_move(target, p);
	}
}

void mapped_watch(struct tracer *t, struct target *target)
{
	bool can_be = target->alive && !target->is_siteless && target->modules;
	bool is_watched = can_be && is_to_be_watched(t, target);
	bool has_moves =
		can_be && !target->mapped.moves_often && may_have_sites(t, target);

	if (!is_watched || target->mapped.is_often)
		drop_calls(t, target);
	if (!has_moves)
		drop_moves(t, target);
	add_calls(t, target, is_watched && !target->mapped.is_often, has_moves);
	if (is_watched && !target->mapped.is_watched)
		t->next_mapped_turn = 0;
	target->mapped.is_watched = is_watched;
}

/* ---- looking ---- */

static bool add_field(const char *status, const char *key, uint64_t *sum)
{
	const char *at = strstr(status, key);

	if (at)
		*sum += strtoull(at + strlen(key), NULL, 10);
	return at != NULL;
}

struct memory_use {
	uint64_t kib; /* of executable memory */
	uint64_t nthreads;
};

/*
 * False: the process has gone. The kernel counts its memory: mappings need not be read.
 */
static bool read_use(const struct target *target, struct memory_use *use)
{
	char path[64], text[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", target->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	*use = (struct memory_use){0};
	return add_field(text, "\nVmExe:", &use->kib) &&
	       add_field(text, "\nVmLib:", &use->kib) &&
	       add_field(text, "\nThreads:", &use->nthreads);
}

/*
 * The same code may have gone and come again, so that there is as much as before: then
 * our bytes have gone.
 */
static bool are_samples_there(const struct target *target)
{
	for (size_t i = 0; i < target->mapped.samples.len; i++) {
		const struct mapped_sample *s = &target->mapped.samples.data[i];
		uint8_t now;

		if (target_read(target, taddr_of(s->addr), &now, 1) || now != s->byte)
			return false;
	}
	return true;
}

static void take_sample(struct target *target, uint64_t addr)
{
	struct mapped_sample s = {.addr = addr};

	if (target->mapped.samples.len < SAMPLES_MAX &&
	    !target_read(target, taddr_of(addr), &s.byte, 1))
		*vec_push(&target->mapped.samples) = s;
}

/* Notes one site of each object, or a few: those of an object follow each other. */
static void take_samples(struct target *target)
{
	const struct module *last = NULL;

	target->mapped.samples.len = 0;
	for (size_t i = 0; i < target->placed.len; i++) {
		taddr at = taddr_of(target->placed.data[i].addr);

		if (!at.v || (last && taddr_in(at, last->lo, last->hi)))
			continue;
		last = modules_at(target->modules, at);
		if (last)
			take_sample(target, at.v);
	}
}

/*
 * Sites, then samples of them. If more is lost after that, the samples may be of code
 * that was mapped in between; false: so it is still.
 */
static bool set_sites(struct tracer *t, struct target *target, struct addr_range mapped)
{
	bool is_lost;

	take_samples(target);
	is_lost = objects_renew_lost(t, target, mapped);
	if (!is_lost && !target->sites.len) {
		/* for those who keep the modules, which were read anew */
		site_batch_send_or_report(t, target);
		return true;
	}
	for (int i = 0; i < TRIES; i++) {
		if (target->sites.len || !i)
			site_batch_send_or_report(t, target);
		take_samples(target);
		is_lost = objects_renew_lost(t, target, mapped);
		if (!is_lost)
			break;
	}
	return !is_lost;
}

/*
 * Modules are read anew. While the loader changes its list that is left to the
 * rendezvous, which comes soon; false: it is to be done again. own: objects_refresh().
 */
static bool look(struct tracer *t, struct target *target, struct addr_range mapped,
		 const struct addr_range *own)
{
	bool has_settled = true;
	struct err e;

	if (target->rendezvous.v && !linkmap_is_consistent(target))
		return false;
	target->mapped.is_looking = true;
	if (objects_refresh(t, target, own, &e) == 0)
		has_settled = set_sites(t, target, mapped);
	target->mapped.is_looking = false;
	return has_settled && !target->unlisted.len;
}

/* What moves memory that often has not moved its code, and is left alone. */
static void become_often(struct tracer *t, struct target *target, taddr at)
{
	if (is_among(target->mapped.moves.data, target->mapped.moves.len, at)) {
		target->mapped.moves_often = true;
		drop_moves(t, target);
		return;
	}
	if (target->mapped.is_often)
		return;
	target->mapped.is_often = true;
	drop_calls(t, target);
	add_calls(t, target, false, !target->mapped.moves_often);
	out_notice(
		t->out,
		"pid %d: it maps memory so often that its calls are not watched: "
		"probes in code that it maps without its loader are set some ms later",
		target->pid);
}

void mapped_event(struct tracer *t, const struct keeper_msg *event)
{
	const struct addr_range mapped = event->hold.mapped;
	struct target *target = target_find(t, event->pid);
	struct err e;

	if (!target || t->is_released)
		return;
	target->held = true;
	if (event->hold.is_often)
		become_often(t, target, event->hold.addr);
	if (target->active && (!mapped.hi.v || !look(t, target, mapped, &mapped)))
		target->mapped.kib = 0; /* it is looked at soon */
	target_resume(t, target, &e);	/* the exit of a dead target is an event */
}

/* ---- now and then ---- */

/*
 * What the mappings have is compared with what the kernel counted before: they may have
 * been read while some were away for a moment.
 */
static void turn_target(struct tracer *t, struct target *target)
{
	const struct addr_range all = {taddr_of(0), taddr_of(UINT64_MAX)};
	struct memory_use use;
	uint64_t surplus;

	if (!read_use(target, &use) ||
	    (use.kib == target->mapped.kib && are_samples_there(target)))
		return;
	if (!look(t, target, all, NULL))
		return;
	surplus = use.kib - target->modules->executable / 1024;
	target->mapped.kib = surplus == target->mapped.surplus ? use.kib : 0;
	target->mapped.surplus = surplus;
}

void mapped_begin(struct target *target)
{
	struct memory_use use;

	if (!target->held || !target->ready || !target->mapped.is_watched ||
	    !read_use(target, &use) || use.nthreads != 1)
		return;
	take_samples(target);
	target->mapped.kib = use.kib;
	target->mapped.surplus = use.kib - target->modules->executable / 1024;
}

void mapped_turn(struct tracer *t, uint64_t now_ns)
{
	uint64_t end;

	if (now_ns < t->next_mapped_turn)
		return;
	t->next_mapped_turn = UINT64_MAX;
	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];

		if (!target->alive || !target->active || !target->mapped.is_watched)
			continue;
		t->next_mapped_turn = 0;
		if (target->ready && !target->held)
			turn_target(t, target);
	}
	end = clock_now_ns();
	if (t->next_mapped_turn == 0)
		t->next_mapped_turn = end + TURN_NS +
				      min_u64(TURN_MOST_NS, (end - now_ns) * TURN_COST);
}

uint64_t mapped_wakeup(const struct tracer *t)
{
	return t->next_mapped_turn;
}
