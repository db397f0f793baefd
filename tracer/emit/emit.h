/* SPDX-License-Identifier: MIT */
/*
 * emit(): events of D programs in the kernel's own stream, for other tools: user_events
 * where the kernel has them, else trace_marker.
 */
#ifndef TRACER_EMIT_EMIT_H
#define TRACER_EMIT_EMIT_H

#include "tracer/emit/emit_format.h"
#include "vm/base/host/err.h"

struct emitter;

/*
 * Prepares what the image's actions need; *out stays NULL if none is an emit(). PERM,
 * NOENT, IO: the text says what would be needed. INVAL: one name with other arguments
 * elsewhere. image is borrowed.
 */
int emitter_open(const void *image, struct emitter **out, struct err *e);
/* m may be NULL. */
void emitter_close(struct emitter *m);
/* BADFMT: the data is malformed. IO: the kernel has refused the event. */
int emitter_write(struct emitter *m, const struct emit_event *x, struct err *e);

#endif
