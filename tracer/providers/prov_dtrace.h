/* SPDX-License-Identifier: MIT */
/*
 * The dtrace provider: BEGIN, END and ERROR.
 */
#ifndef TRACER_PROVIDERS_PROV_DTRACE_H
#define TRACER_PROVIDERS_PROV_DTRACE_H

#include "tracer/base/provider.h"

extern const struct provider prov_dtrace;

#endif
