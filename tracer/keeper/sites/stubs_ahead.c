/* SPDX-License-Identifier: MIT */
/*
 * One thread builds, the other takes. What is shared:
 *
 *	is_asked	fixed before the thread begins
 *	at[i]		where stub i is in bytes, 1 more; 0: it was not built
 *	done		stubs up to there are in at and bytes: they change no more
 *	wanted		the taker has come there: what is before is built for nothing
 *
 * A stub is stored as: struct stored, its prologues, its fields, its bytes. Who takes one
 * that is not done builds it himself; nobody waits.
 */
#include "tracer/keeper/sites/stubs_ahead.h"
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef DTRACE_SMALL_LIMITS
#define FEWEST	   64
#define BYTES_EACH 64
#else
#define FEWEST	   256 /* fewer are built before a thread has begun */
#define BYTES_EACH 192 /* room for a stub; most take half of it */
#endif

struct stored {
	uint16_t n, nfields;
};

struct stubs_ahead {
	const struct detour_requests *list;
	struct background *thread;
	bool *is_asked; /* of each: whether it is to be built */
	uint32_t *at;
	uint8_t *bytes;
	size_t used, size; /* of bytes */
	_Atomic size_t done, wanted;
	_Atomic bool is_over;
};

/* Chained jumps are chosen, and their plans changed, meanwhile. */
static bool can_be_moved(const struct detour_request *j)
{
	return !j->is_joining &&
	       (j->plan.tactic == HOOK_JMP || j->plan.tactic == HOOK_JMP_SHORT ||
		j->plan.tactic == HOOK_CALL);
}

static uint8_t *append(uint8_t *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return to + n;
}

/* False: there is no more room. */
static bool store(struct stubs_ahead *s, size_t number, const struct stub *stub,
		  uint32_t nsites)
{
	const struct stored head = {stub->n, stub->nfields};
	const size_t prologues = nsites * sizeof(*stub->prologues);
	const size_t fields = stub->nfields * sizeof(*stub->fields);
	const size_t n = sizeof(head) + prologues + fields + stub->n;
	uint8_t *p = s->bytes + s->used;

	if (n > s->size - s->used)
		return false;
	p = append(p, &head, sizeof(head));
	p = append(p, stub->prologues, prologues);
	p = append(p, stub->fields, fields);
	append(p, stub->bytes, stub->n);
	s->at[number] = (uint32_t)s->used + 1;
	s->used += n;
	return true;
}

static bool build(struct stubs_ahead *s, size_t number)
{
	const struct detour_request *j = &s->list->data[number];
	struct stub_request req = {.plan = &j->plan, .stub = j->plan.patch};
	struct stub stub;

	if (!s->is_asked[number])
		return true;
	req.switch_word = req.stub;
	if (stub_build(&req, &stub) != 0 || stub.is_fixed)
		return true;
	return store(s, number, &stub, j->plan.nsites);
}

static void build_all(void *ctx)
{
	struct stubs_ahead *s = ctx;
	size_t i = 0;

	while (i < s->list->len &&
	       !atomic_load_explicit(&s->is_over, memory_order_relaxed) &&
	       build(s, i)) {
		i = max_u64(i + 1,
			    atomic_load_explicit(&s->wanted, memory_order_relaxed));
		atomic_store_explicit(&s->done, i, memory_order_release);
	}
}

struct stubs_ahead *stubs_ahead_begin(const struct detour_requests *list)
{
	struct stubs_ahead *s;

	if (list->len < FEWEST)
		return NULL;
	s = oom_calloc(1, sizeof(*s));
	s->list = list;
	s->size = list->len * BYTES_EACH;
	s->at = oom_calloc(list->len, sizeof(*s->at));
	s->bytes = oom_realloc(NULL, s->size);
	s->is_asked = oom_realloc(NULL, list->len * sizeof(*s->is_asked));
	for (size_t i = 0; i < list->len; i++)
		s->is_asked[i] = can_be_moved(&list->data[i]);
	s->thread = background_start(build_all, s);
	return s;
}

void stubs_ahead_end(struct stubs_ahead *s)
{
	if (!s)
		return;
	atomic_store_explicit(&s->is_over, true, memory_order_relaxed);
	background_wait(s->thread, BACKGROUND_FOREVER);
	free(s->is_asked);
	free(s->at);
	free(s->bytes);
	free(s);
}

/* From what was stored; the patch is stub_place()'s to write. */
static void load(const struct stubs_ahead *s, size_t number, uint32_t nsites,
		 struct stub *out)
{
	const uint8_t *p = s->bytes + (s->at[number] - 1);
	struct stored head;

	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	memcpy(out->prologues, p, nsites * sizeof(*out->prologues));
	p += nsites * sizeof(*out->prologues);
	memcpy(out->fields, p, head.nfields * sizeof(*out->fields));
	p += head.nfields * sizeof(*out->fields);
	memcpy(out->bytes, p, head.n);
	memset(out->patch, 0, sizeof(out->patch));
	memset(out->island, 0, sizeof(out->island));
	out->n = head.n;
	out->nfields = (uint8_t)head.nfields;
	out->is_fixed = false;
	out->npoints = 0;
}

bool stubs_ahead_take(struct stubs_ahead *s, size_t number,
		      const struct stub_request *req, struct stub *out)
{
	if (!s)
		return false;
	if (number >= atomic_load_explicit(&s->done, memory_order_acquire)) {
		atomic_store_explicit(&s->wanted, number + 1, memory_order_relaxed);
		return false;
	}
	if (!s->at[number])
		return false;
	load(s, number, req->plan->nsites, out);
	return stub_place(req, req->plan->patch, out) == 0;
}
