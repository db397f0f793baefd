/* SPDX-License-Identifier: MIT */
/*
 * Where the value of a built-in comes from (builtin.def).
 */
#ifndef VM_BUILTIN_H
#define VM_BUILTIN_H

#include "vm/program.h"

enum builtin_source {
	SOURCE_MACHINE,
	SOURCE_ARG,
	SOURCE_ENV,
	SOURCE_ENVSTR,
	SOURCE_INDEXED,
};

/* id must be below BUILTIN_COUNT. */
enum builtin_source builtin_source(enum builtin id);

#endif
