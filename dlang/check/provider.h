/* SPDX-License-Identifier: MIT */
/*
 * Providers that the programs of a run declare: the interface of probes in the
 * source of a program. Kept for comparison and for the header that -h writes.
 */
#ifndef DLANG_CHECK_PROVIDER_H
#define DLANG_CHECK_PROVIDER_H

#include "dlang/check/check.h"

struct declared_provider {
	const struct ast_provider *def; /* checked: its types are known */
	bool is_library;		/* -h leaves it out */
	struct declared_provider *next;
};

/* "log-msg" for log__msg, in the arena. */
const char *provider_probe_name(struct dlang *d, const char *written);
/* Whether the run knows a declaration of the provider already. */
bool provider_is_declared(struct dlang *d, const char *name);

#endif
