/* SPDX-License-Identifier: MIT */
/*
 * Frames of Python in stacks. A word of a stack is such a frame if it has the upper bits
 * of PYTHON_FRAME, which no address has. The others tell where its name is in a file that
 * keeper and front share, in units of 8 bytes from its beginning. 0: the name was lost,
 * for there was no room. The keeper alone writes the file, a name before the stacks that
 * have it. Stacks may come from a target, and have any word.
 */
#ifndef VM_BASE_PYTHON_NAME_H
#define VM_BASE_PYTHON_NAME_H

#include "vm/base/base.h"

#define PYTHON_FRAME	    UINT64_C(0xfffe707900000000)
#define PYTHON_NAMES_MAX    (UINT64_C(64) << 20) /* bytes of the file */
#define PYTHON_NAMES_OF_ONE (UINT64_C(16) << 20) /* that a process can add */

struct python_names_file {
	_Atomic uint64_t lost; /* frames without a name */
			       /* struct python_name_entry, at multiples of 8 */
};

struct python_name_entry {
	uint32_t line; /* 0: not known */
	uint16_t nfunction, nfile;
	char text[]; /* UTF-8: the function, a NUL, the file, a NUL */
};

static inline bool python_is_frame(uint64_t word)
{
	return word >> 32 == PYTHON_FRAME >> 32;
}

#endif
