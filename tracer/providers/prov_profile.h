/* SPDX-License-Identifier: MIT */
/*
 * The profile provider: tick and profile probes.
 */
#ifndef TRACER_PROVIDERS_PROV_PROFILE_H
#define TRACER_PROVIDERS_PROV_PROFILE_H

#include "tracer/base/provider.h"

extern const struct provider prov_profile;

/* Interval in ns of a profile or tick probe's name; 0 if it is not one. */
uint64_t prov_profile_interval(const char *name);

#endif
