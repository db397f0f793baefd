/* SPDX-License-Identifier: MIT */
/*
 * The class of the program that a process runs, from the first bytes of its file.
 */
#ifndef TRACER_KEEPER_OS_ELF_H
#define TRACER_KEEPER_OS_ELF_H

#include "vm/base/base.h"

/* Whether /proc/PID/exe is ELFCLASS32: i386 or x32. False if it cannot be read. */
bool elf_is_32bit(int pid);

#endif
