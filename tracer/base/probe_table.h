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
 * keeper. An error is that of the sending; the table in this process is then new.
 */
int probe_table_update(struct tracer *t, struct err *e);

#endif
