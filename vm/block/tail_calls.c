/* SPDX-License-Identifier: MIT */
#include "vm/tail_calls.h"
#include "vm/block/layout.h"

#define NONE TAIL_CALLS_MAX
#define ALL  (UINT32_MAX >> (32 - TAIL_CALLS_MAX))

struct tail_calls *tail_calls_of(struct state *s, uint32_t slot)
{
	return &layout_slot(s, slot)->tail_calls;
}

static uint32_t find(const struct tail_calls *t, const struct tail_step *step)
{
	for (uint32_t used = t->used & ALL; used; used &= used - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(used);

		if (t->list[i].sp == step->sp && t->list[i].probe == step->probe)
			return i;
	}
	return NONE;
}

static void forget(struct tail_calls *t, uint32_t i)
{
	t->used &= ~(1u << i);
	t->inside &= ~(1u << i);
}

static bool read_word(const struct vm_env *env, uint64_t at, uint64_t *out)
{
	taddr bad;

	return env->read(env->ctx, taddr_of(at), out, sizeof(*out), &bad) == 0;
}

/* Whether the stack still has its return address. */
static bool is_there(const struct vm_env *env, const struct tail_call *call)
{
	uint64_t back;

	return read_word(env, call->sp, &back) && back == call->back;
}

/* A free place; NONE: the calls that fill the table may all return. */
static uint32_t find_room(struct tail_calls *t, const struct vm_env *env)
{
	for (uint32_t i = 0; i < TAIL_CALLS_MAX; i++)
		if (!(t->used >> i & 1))
			return i;
	for (uint32_t i = 0; i < TAIL_CALLS_MAX; i++)
		if (!is_there(env, &t->list[i]))
			return i;
	return NONE;
}

/* False: it cannot be noted. One in its place was left without a return. */
static bool note(struct tail_calls *t, const struct vm_env *env,
		 const struct tail_step *step)
{
	uint32_t i = find(t, step);
	uint64_t back;

	if (!read_word(env, step->sp, &back))
		return false;
	if (i == NONE)
		i = find_room(t, env);
	if (i == NONE)
		return false;
	t->list[i].sp = step->sp;
	t->list[i].back = back;
	t->list[i].probe = step->probe;
	t->list[i].arg0 = step->arg0;
	t->used |= 1u << i;
	t->inside &= ~(1u << i);
	return true;
}

bool tail_calls_step(struct tail_calls *t, const struct vm_env *env,
		     struct tail_step *step)
{
	uint32_t i;

	if (step->role == TAIL_BEGIN)
		return !note(t, env, step);
	i = find(t, step);
	if (i == NONE)
		return false;
	if (step->role == TAIL_PASS) {
		t->inside &= ~(1u << i);
		return false;
	}
	if (step->role == TAIL_ENTER && !(t->inside >> i & 1)) {
		t->inside |= 1u << i;
		return false;
	}
	forget(t, i);
	step->arg0 = t->list[i].arg0;
	return step->role == TAIL_END && is_there(env, &t->list[i]);
}
