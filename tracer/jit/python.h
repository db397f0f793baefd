/* SPDX-License-Identifier: MIT */
/*
 * Python interpreters in targets: where the keeper finds their frames.
 */
#ifndef TRACER_JIT_PYTHON_H
#define TRACER_JIT_PYTHON_H

#include "symbols/symbols.h"
#include "vm/base/proc/procmem.h"

/* What the interpreter of a process is. */
struct python {
	taddr runtime;	  /* its _PyRuntime; 0: there is none, or it is not supported */
	uint32_t version; /* as of Py_Version: 0x030b02f0; 0: not known */
};

/* Looks for it among these modules of a process. False: there is none. */
bool python_find(const struct modules *ms, struct procmem *memory, struct python *out);

#endif
