/* SPDX-License-Identifier: MIT */
/*
 * Providers that the programs of a run declare. They are kept to compare repeated
 * declarations, and for the header that -h writes.
 */
#ifndef DLANG_CHECK_PROVIDER_H
#define DLANG_CHECK_PROVIDER_H

#include "dlang/check/check.h"

struct declared_provider {
	const struct ast_provider *def; /* checked */
	bool is_library;		/* -h leaves it out */
	struct declared_provider *next;
};

/* The name of a probe, "log-msg" for log__msg, in the arena. */
const char *provider_probe_name(struct dlang *d, const char *written);
/* Whether a program of the run has declared the provider. */
bool provider_is_declared(struct dlang *d, const char *name);

/* What args[n] is at a probe that a program declares. */
struct declared_argument {
	struct ast_typename *native; /* what the probe passes */
	uint32_t index;		     /* its place there */
	struct ast_typename *output; /* what it is translated to; NULL: nothing */
};

/*
 * Finds args[n] of the clause that is checked. STATUS_NOENT: no declared provider has its
 * probe. STATUS_RANGE: the probe has fewer arguments.
 */
int provider_argument(struct dlang *d, uint32_t n, struct declared_argument *out);

#endif
