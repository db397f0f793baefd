/* SPDX-License-Identifier: MIT */
/*
 * What files of symbols and debug data say, for the names of addresses: read by a thread
 * of its own, for it may take minutes, or for ever where a file system does not answer.
 * The user can give it up (AWAITED_SYMBOLS); then nothing more is read.
 */
#ifndef TRACER_OUTPUT_PATIENT_LOAD_H
#define TRACER_OUTPUT_PATIENT_LOAD_H

#include "symbols/symbols.h"
#include "symbols/types.h"

/* The functions of the module: module_load_symbols(). */
void patient_load_symbols(struct module *m);
/* False: a thread that was given up makes the module's symbols; they must not be used. */
bool patient_load_is_usable(const struct module *m);
/* module_hold(): 1 if it opened the file. */
int patient_hold(struct module *m);
/* Its debug data, ready for module_types_places(), first of value; NULL: it has none, or
 * it was given up. */
struct module_types *patient_load_types(const struct module *m, uint64_t value);

/* Whether a thread was left that still uses modules: they must not be freed. */
bool patient_load_is_lost(void);

#endif
