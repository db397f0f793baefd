/* SPDX-License-Identifier: MIT */
/*
 * Signals that end tracing, and what they mean while dtrace waits.
 *
 * The first one ends tracing, and all that was collected is printed, however many more
 * come soon: whoever ends a program may send it several signals at once (timeout(1)
 * signals its child, and then the group).
 *
 * A signal at least PATIENCE_NS after the end has begun gives up what dtrace waits for
 * at that moment: a reader that takes no output, a command of system(), a file of
 * symbols, the keeper. Only that is left out, and only once the wait has lasted as long
 * itself, 2 s for the keeper: a busy machine makes dtrace wait, too. A signal that comes
 * while dtrace works changes nothing.
 *
 *	end begins          PATIENCE_NS            a wait
 *	   |-------------------|----------|===================|----
 *	   ignored             ignored    gives it up         ignored
 *
 * A process has one state. Waits are those of the thread that called patience_open().
 */
#ifndef TRACER_BASE_PATIENCE_H
#define TRACER_BASE_PATIENCE_H

#include "vm/base/base.h"
#include "vm/base/host/strbuf.h"

#define PATIENCE_NS UINT64_C(300000000)

/* What dtrace waits for; AWAITED(name, what is left out when it is given up) */
enum awaited {
	AWAITED_NOTHING,
#define AWAITED(name, text) AWAITED_##name,
#include "tracer/base/awaited.def"
#undef AWAITED
	NAWAITED
};

/* A wait: what for, since when, and how many signals that count there had been. */
struct patience_wait {
	enum awaited awaited;
	uint64_t began; /* with those for the same shortly before */
	unsigned since;
};

/*
 * From now on a wait is woken by EINTR every 100 ms once the end has begun. Then
 * release() is called in it, until it returns true: what must not wait for the same.
 */
void patience_open(bool (*release)(void *ctx), void *ctx);

/* A signal has asked for the end. For its handler. */
void patience_signal(void);
/* Tracing has ended, if no signal has ended it before. */
void patience_begin_end(void);
bool patience_has_begun_end(void);
/* Tracing ends at that time, as if a signal asked for it then. After patience_open(). */
void patience_end_at(uint64_t time);

/* A wait begins. Returns the one in which it lies, for patience_end(). */
struct patience_wait patience_begin(enum awaited a);
void patience_end(struct patience_wait outer);
/* Whether the present wait is given up, now or when it was for the same before. Other
 * threads may ask on behalf of the one that waits for them. */
bool patience_is_over(void);
/* Whether the present wait is for that. Any thread may ask. */
bool patience_awaits(enum awaited a);

bool patience_gave_up(enum awaited a);
/* Appends what was given up; false: nothing was. */
bool patience_describe(struct strbuf *text);

#endif
