/* SPDX-License-Identifier: MIT */
/*
 * The one place where a hosted container ends the process.
 */
#ifndef VM_BASE_HOST_OOM_H
#define VM_BASE_HOST_OOM_H

#include "vm/base/base.h"

/* malloc/realloc/calloc that print a message and abort() instead of NULL. */
void *oom_realloc(void *p, size_t n);
void *oom_calloc(size_t n, size_t size);
/* A copy of the text, to free(); NULL of NULL. */
char *oom_strdup(const char *text);

#endif
