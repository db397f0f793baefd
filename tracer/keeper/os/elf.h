/* SPDX-License-Identifier: MIT */
/*
 * What kind of program a process runs, by the first bytes of its file.
 */
#ifndef TRACER_KEEPER_OS_ELF_H
#define TRACER_KEEPER_OS_ELF_H

#include "vm/base/base.h"

/* Also true of the x32 ABI. False when the file cannot be read. */
bool elf_is_32bit(int pid);

#endif
