/* SPDX-License-Identifier: MIT */
/*
 * What a description that matches nothing may have meant. For a description that is
 * refused only: makes probes that no clause has asked for.
 */
#ifndef TRACER_PROVIDERS_SUGGEST_H
#define TRACER_PROVIDERS_SUGGEST_H

#include "dlang/dlang.h"
#include "tracer/base/provider.h"

#define NAME_SHOWN 120 /* bytes of a name of a target in a message, with the last NUL */

/*
 * Sets the hint of m, if it has none and something is near: a word of another tool, a
 * mistyped provider or name, a function of a target without its provider.
 */
void suggest_description(struct tracer *t, const struct dlang_probe_desc *desc,
			 struct match *m);
/* The same for the name field of a pid provider, which can be only one of a few. */
void suggest_name(struct tracer *t, const struct dlang_probe_desc *desc,
		  struct match *m);
/* A name from a target for a terminal: without control characters, cut. */
const char *suggest_visible(const char *name, char shown[NAME_SHOWN]);

#endif
