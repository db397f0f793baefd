/* SPDX-License-Identifier: MIT */
/*
 * The user's folder of plans: $XDG_CACHE_HOME/dtrace, or .cache/dtrace in $HOME. It is
 * used only if it and the folder that holds it are the user's own, it is no symbolic
 * link, and nobody else may write to it. Files appear whole: each is written beside its
 * place and renamed. Every failure means that nothing is kept, or found.
 */
#ifndef TRACER_PLANCACHE_FOLDER_H
#define TRACER_PLANCACHE_FOLDER_H

#include "vm/base/host/strbuf.h"

#define FOLDER_FILE_MAX (UINT64_C(64) << 20)  /* bytes of one file */
#define FOLDER_ALL_MAX	(UINT64_C(256) << 20) /* of all: those used last stay */
#define FOLDER_FILES	512

/* A descriptor of the folder, which is made if it is not there; -1: there can be none. */
int folder_open(void);
/* Whether a file's name begins with this. */
bool folder_has(int folder, const char *beginning);
/* Opens a file, which is noted as used; *bytes: its size. -1: there is none. */
int folder_open_file(int folder, const char *name, uint64_t *bytes);
/* Writes a file, in place of one of the name, and removes others if they are too many. */
void folder_write(int folder, const char *name, const struct strbuf *content);
void folder_remove(int folder, const char *name);

#endif
