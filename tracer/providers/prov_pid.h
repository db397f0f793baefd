/* SPDX-License-Identifier: MIT */
/*
 * The pid and fpid providers: probes in the functions of processes.
 */
#ifndef TRACER_PROVIDERS_PROV_PID_H
#define TRACER_PROVIDERS_PROV_PID_H

#include "tracer/base/provider.h"

extern const struct provider prov_pid, prov_fpid;

#endif
