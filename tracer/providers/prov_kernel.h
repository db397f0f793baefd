/* SPDX-License-Identifier: MIT */
#ifndef TRACER_PROVIDERS_PROV_KERNEL_H
#define TRACER_PROVIDERS_PROV_KERNEL_H

#include "tracer/base/provider.h"

extern const struct provider prov_sched, prov_io;

#endif
