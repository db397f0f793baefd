/* SPDX-License-Identifier: MIT */
/*
 * Providers of DTrace that watch a kernel. They do not exist here.
 */
#ifndef TRACER_PROVIDERS_ELSEWHERE_H
#define TRACER_PROVIDERS_ELSEWHERE_H

/* Which probes answer the same question here, for a message; NULL: no such provider. */
const char *elsewhere_hint(const char *provider);

#endif
