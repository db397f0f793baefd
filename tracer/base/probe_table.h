/* SPDX-License-Identifier: MIT */
/*
 * The flat probe table (struct vm_table) of the probes that exist, for the keeper and
 * for the machine of this process.
 */
#ifndef TRACER_BASE_PROBE_TABLE_H
#define TRACER_BASE_PROBE_TABLE_H

#include "tracer/base/core.h"

/*
 * Builds the table again if probes or enablings were added, and sends it if there is a
 * keeper. After an error of the sending the table in this process is new; if there is no
 * room for a new one (NOMEM), it is the one before.
 */
int probe_table_update(struct tracer *t, struct err *e);
void probe_table_release(struct tracer *t);

#endif
