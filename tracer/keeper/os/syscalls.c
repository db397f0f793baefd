/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/syscalls.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* What a call returns to the kernel's signal code (include/linux/errno.h there). */
static bool is_restart(int64_t result)
{
	return result == -512 || result == -513 || result == -514 || result == -516;
}

static struct syscalls_one *top(struct syscalls *c)
{
	return c->depth ? &c->one[c->depth - 1] : NULL;
}

static void push(struct syscalls *c, const struct syscalls_stop *s,
		 enum syscalls_state state)
{
	if (c->depth == SYSCALLS_DEPTH)
		memmove(&c->one[0], &c->one[1], --c->depth * sizeof(c->one[0]));
	c->one[c->depth++] = (struct syscalls_one){
		.nr = (int32_t)s->nr, .state = state, .pc = s->pc, .sp = s->sp};
}

static bool is_same_place(const struct syscalls_one *one, const struct syscalls_stop *s)
{
	return one->pc.v == s->pc.v && one->sp.v == s->sp.v;
}

/* Calls that the thread cannot come back to: it has left their frames. */
static void drop_stale(struct syscalls *c, taddr sp)
{
	while (c->depth && (top(c)->state != CALLS_AGAIN || top(c)->sp.v < sp.v))
		c->depth--;
}

int syscalls_enter(struct syscalls *c, const struct syscalls_stop *s)
{
	struct syscalls_one *t = top(c);

	if (t && t->state == CALLS_AGAIN && is_same_place(t, s) &&
	    (t->nr == s->nr || s->nr == SYS_restart_syscall)) {
		t->state = CALLS_IN;
		return -1;
	}
	if (t && t->state == CALLS_AGAIN && t->sp.v == s->sp.v)
		c->depth--; /* the same frame makes another call */
	drop_stale(c, s->sp);
	push(c, s, CALLS_IN);
	return (int)s->nr;
}

/* The handler has returned to behind the call that it interrupted. */
static int leave_interrupted(struct syscalls *c, const struct syscalls_stop *s,
			     int64_t *result)
{
	const struct syscalls_one *t = top(c);

	if (!t || t->state != CALLS_AGAIN || !is_same_place(t, s))
		return -1;
	c->depth--;
	*result = s->result;
	return t->nr;
}

int syscalls_leave(struct syscalls *c, const struct syscalls_stop *s, int64_t *result)
{
	struct syscalls_one *t = top(c);
	int nr = t && t->state == CALLS_IN ? t->nr : (int)s->nr;

	if (t && t->state == CALLS_TOLD) {
		c->depth--;
		return -1;
	}
	if (nr == SYS_rt_sigreturn) {
		if (t && t->state == CALLS_IN)
			c->depth--;
		return leave_interrupted(c, s, result);
	}
	if (nr < 0)
		return -1;
	if (is_restart(s->result) || (s->result == -EINTR && s->is_repeated)) {
		if (t && t->state == CALLS_IN)
			t->state = CALLS_AGAIN;
		else
			push(c, s, CALLS_AGAIN);
		return -1;
	}
	if (t && t->state == CALLS_IN)
		c->depth--;
	*result = s->result;
	return nr;
}

void syscalls_found(struct syscalls *c, const struct syscalls_stop *s)
{
	if (!c->depth && s->nr >= 0 &&
	    (is_restart(s->result) || (s->result == -EINTR && s->is_repeated)))
		push(c, s, CALLS_AGAIN);
}

void syscalls_exec(struct syscalls *c, const struct syscalls_stop *s)
{
	c->depth = 0;
	push(c, s, CALLS_TOLD);
}
