/* SPDX-License-Identifier: MIT */
/*
 * The registers of threads as notes of an ELF core: NT_PRSTATUS, NT_FPREGSET and
 * NT_X86_XSTATE of each.
 */
#ifndef TRACER_KEEPER_COPIES_CORE_NOTES_H
#define TRACER_KEEPER_COPIES_CORE_NOTES_H

#include "tracer/keeper/threads/all_stop.h"
#include "vm/base/host/strbuf.h"

/*
 * Appends the notes of all threads of the all-stop; first is that of task, which has
 * these registers. The others have those that they would have without us; a thread
 * asleep in the kernel has a pc and a stack pointer only.
 */
void core_notes_add(struct strbuf *out, const struct all_stop *s,
		    const struct task *task, const struct regs *regs);

#endif
