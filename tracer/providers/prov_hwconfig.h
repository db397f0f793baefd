/* SPDX-License-Identifier: MIT */
/*
 * The provider hwconfig: what the machine is made of. Each of its probes fires once for
 * each thing of its kind, in dtrace, after BEGIN: a consumer of the events that follow
 * knows then what their processors, disks and interfaces are.
 */
#ifndef TRACER_PROVIDERS_PROV_HWCONFIG_H
#define TRACER_PROVIDERS_PROV_HWCONFIG_H

#include "tracer/base/provider.h"

extern const struct provider prov_hwconfig;

/* Fires them, unless tracing has ended. */
void prov_hwconfig_fire(struct tracer *t);

#endif
