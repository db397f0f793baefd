/* SPDX-License-Identifier: MIT */
/*
 * Forms of the output for other programs: -x oformat, -O.
 *
 * The manual (dtrace(1), FORMATS) has their schema. All that comes from a target is
 * escaped: the output is valid whatever strings hold.
 */
#ifndef TRACER_EXPORT_EXPORT_H
#define TRACER_EXPORT_EXPORT_H

#include "tracer/export/export_config.h"

struct form; /* output/form.h */

/*
 * The form that the options choose; NULL: DTrace's text. The form of JSON also gets all
 * messages of out. The caller frees it before out.
 */
struct form *export_new(const struct export_config *config);
void export_free(struct form *f);

#endif
