/* SPDX-License-Identifier: MIT */
/*
 * How a file gets into a process: the thread makes a pair of connected sockets; the
 * keeper takes one end (pidfd_getfd(2)) and sends the files through it; the thread
 * receives them at the other end. No path is used, so mount namespaces do not matter.
 */
#ifndef TRACER_KEEPER_INJECT_PASS_FILES_H
#define TRACER_KEEPER_INJECT_PASS_FILES_H

#include "tracer/keeper/inject/injection.h"

#define PASS_FILES_MAX (STATE_REGIONS + 3) /* state block, program, resident block */

/*
 * Puts n files into the process: their numbers there, to be closed by the caller. room:
 * PASS_FILES_ROOM bytes of ours that the process can write to. STATUS_PERM: the keeper
 * may not take a descriptor; _IO, _GONE.
 */
#define PASS_FILES_ROOM 1024u
int pass_files(const struct injection *in, taddr room, const int *files, uint32_t n,
	       int *out);
/* Closes a descriptor of the process. Tried twice. */
void pass_files_close(const struct injection *in, int fd);

#endif
