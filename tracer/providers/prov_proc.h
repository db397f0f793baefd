/* SPDX-License-Identifier: MIT */
/*
 * The proc provider: events of traced processes and their threads.
 */
#ifndef TRACER_PROVIDERS_PROV_PROC_H
#define TRACER_PROVIDERS_PROV_PROC_H

#include "tracer/base/provider.h"

extern const struct provider prov_proc;

#endif
