/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/syscalls.h"
#include "tracer/keeper/os/stop.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

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

/* Drops calls whose stack frames the thread has left: it cannot return to them. */
static void drop_stale(struct syscalls *c, taddr sp)
{
	while (c->depth && (top(c)->state != SYSCALLS_AGAIN || top(c)->sp.v < sp.v))
		c->depth--;
}

int syscalls_enter(struct syscalls *c, const struct syscalls_stop *s)
{
	struct syscalls_one *t = top(c);

	if (t && t->state == SYSCALLS_AGAIN && is_same_place(t, s) &&
	    (t->nr == s->nr || s->nr == SYS_restart_syscall)) {
		t->state = SYSCALLS_IN;
		return -1;
	}
	if (t && t->state == SYSCALLS_AGAIN && t->sp.v == s->sp.v)
		c->depth--; /* the same frame makes another call */
	drop_stale(c, s->sp);
	push(c, s, SYSCALLS_IN);
	return (int)s->nr;
}

/* rt_sigreturn: if the handler returns to just after the call it interrupted. */
static int leave_interrupted(struct syscalls *c, const struct syscalls_stop *s,
			     int64_t *result)
{
	const struct syscalls_one *t = top(c);

	if (!t || t->state != SYSCALLS_AGAIN || !is_same_place(t, s))
		return -1;
	c->depth--;
	*result = s->result;
	return t->nr;
}

int syscalls_leave(struct syscalls *c, const struct syscalls_stop *s, int64_t *result)
{
	struct syscalls_one *t = top(c);
	int nr = t && t->state == SYSCALLS_IN ? t->nr : (int)s->nr;

	if (t && t->state == SYSCALLS_REPORTED) {
		c->depth--;
		return -1;
	}
	if (nr == SYS_rt_sigreturn) {
		if (t && t->state == SYSCALLS_IN)
			c->depth--;
		return leave_interrupted(c, s, result);
	}
	if (nr < 0)
		return -1;
	if (stop_is_restarted(s->result) || s->is_repeated) {
		if (t && t->state == SYSCALLS_IN)
			t->state = SYSCALLS_AGAIN;
		else
			push(c, s, SYSCALLS_AGAIN);
		return -1;
	}
	if (t && t->state == SYSCALLS_IN)
		c->depth--;
	*result = s->result;
	return nr;
}

void syscalls_found(struct syscalls *c, const struct syscalls_stop *s)
{
	if (!c->depth && s->nr >= 0 && (stop_is_restarted(s->result) || s->is_repeated))
		push(c, s, SYSCALLS_AGAIN);
}

void syscalls_exec(struct syscalls *c, const struct syscalls_stop *s)
{
	c->depth = 0;
	push(c, s, SYSCALLS_REPORTED);
}
