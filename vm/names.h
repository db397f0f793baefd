/* SPDX-License-Identifier: MIT */
/*
 * The names in the .def tables, as dumps of programs print them: static text, "?" for a
 * number beyond the table. Hosted only.
 */
#ifndef VM_NAMES_H
#define VM_NAMES_H

#include "vm/base/base.h"

const char *names_op(uint32_t i); /* in capitals */
const char *names_builtin(uint32_t i);
const char *names_subr(uint32_t i);
const char *names_action(uint32_t i);
const char *names_agg(uint32_t i);

#endif
