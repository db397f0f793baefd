/* SPDX-License-Identifier: MIT */
/*
 * The code of one site as text: the program's own bytes, what dtrace wrote there, and the
 * stub that a jump leads to. All bytes come from the target: whatever they are, the text
 * has a limited length and no control characters.
 */
#ifndef TRACER_EXPLAIN_SITE_CODE_H
#define TRACER_EXPLAIN_SITE_CODE_H

#include "hook/hook.h"
#include "tracer/targets/target.h"
#include "vm/base/host/strbuf.h"

#define SITE_CODE_MAX (HOOK_COVERED_MAX + INSN_MAX)

/* Some bytes of the target's memory. */
struct site_bytes {
	taddr at;
	size_t n;
	uint8_t bytes[SITE_CODE_MAX];
};

/* Reads at most n bytes, at most SITE_CODE_MAX, fewer where its memory ends. */
void site_bytes_read(const struct target *target, taddr at, size_t n,
		     struct site_bytes *out);

/* A site that the keeper has installed. */
struct site_code {
	const struct target *target;
	taddr addr;
	const struct hook_plan *plan;	 /* NULL: it is a breakpoint */
	const struct site_bytes *before; /* from plan->patch, or from addr */
	const struct site_bytes *island; /* from plan->island.at; n 0: there is none */
};

/* Adds code of ours, which is no target's, as instructions: the first is at `at`. */
void site_code_add_ours(const uint8_t *bytes, size_t n, taddr at, struct strbuf *to);
/* Adds the parts "before", "after" and "stub". */
void site_code_add(const struct site_code *s, struct strbuf *to);

#endif
