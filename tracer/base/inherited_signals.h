/* SPDX-License-Identifier: MIT */
/*
 * SIGINT and SIGTERM end dtrace, even if it was started without them: a shell that is not
 * interactive ignores SIGINT for a command in the background, whose only end it may be.
 * The program of -c gets them as dtrace did.
 */
#ifndef TRACER_BASE_INHERITED_SIGNALS_H
#define TRACER_BASE_INHERITED_SIGNALS_H

/* At the start. */
void inherited_signals_take(void);
/* In a child that is to execute a program. */
void inherited_signals_restore(void);

#endif
