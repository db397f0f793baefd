/* SPDX-License-Identifier: MIT */
/*
 * The notes of a core that say what the process is: NT_PRPSINFO, NT_AUXV and NT_FILE.
 */
#ifndef TRACER_DUMP_CORE_NOTES_H
#define TRACER_DUMP_CORE_NOTES_H

#include "tracer/dump/core_map.h"
#include "vm/base/host/strbuf.h"

/* Appends them. copy has the memory of process pid. */
void core_notes_of_process(struct strbuf *out, int pid, int copy,
			   const struct core_map *map);

#endif
