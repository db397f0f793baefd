/* SPDX-License-Identifier: MIT */
/*
 * Probes that programs and libraries were compiled with (USDT), by the notes of
 * <sys/sdt.h>. A note's provider and the process id make the provider of its probes:
 *
 *	python1234 : python3.11 : _PyEval_EvalFrameDefault : function-entry
 *
 * Two underscores of the note's name are a dash; descriptions may say either. The module
 * is the object that has the note, the function the one that its site is in.
 *
 * Sites are served as those of fpid. Where a site's note names a semaphore, the keeper
 * adds one to it before the site is set.
 */
#ifndef TRACER_USDT_USDT_H
#define TRACER_USDT_USDT_H

#include "tracer/base/provider.h"

extern const struct provider prov_usdt;

/* Sets the hint if the description means a probe of a traced program, but not by name. */
void usdt_suggest(struct tracer *t, const struct dlang_probe_desc *desc,
		  struct match *m);
/* The last hint, if no other was found: no object has probes of such a provider. */
void usdt_explain_none(const struct tracer *t, const struct dlang_probe_desc *desc,
		       struct match *m);

#endif
