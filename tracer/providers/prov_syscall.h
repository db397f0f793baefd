/* SPDX-License-Identifier: MIT */
/*
 * The syscall provider: entries and returns of the system calls of traced processes.
 */
#ifndef TRACER_PROVIDERS_PROV_SYSCALL_H
#define TRACER_PROVIDERS_PROV_SYSCALL_H

#include "tracer/base/provider.h"

extern const struct provider prov_syscall;

#endif
