/* SPDX-License-Identifier: MIT */
/* The provider field of descriptions for pid and fpid: which process it names. */
#ifndef TRACER_BASE_PID_FIELD_H
#define TRACER_BASE_PID_FIELD_H

#include "tracer/base/probe.h"
#include "vm/base/host/err.h"

/*
 * The process that a provider field names: "pid123", or a glob that matches this and ends
 * in the number. 0: the field is not for this provider. Negative: D_PROC_BADPID is set.
 */
int pid_field_process(const struct provider *prov, const char *field, struct err *e);
/* Whether it names any. */
bool pid_field_names_process(const struct provider *self, const char *field);
/* Whether it names this one. */
bool pid_field_names_family(const struct provider *self, const char *field, int family);
/* The process of a probe of these providers; 0: its name has none. */
int pid_field_of_probe(const struct probes *ps, const struct probe *p);

#endif
