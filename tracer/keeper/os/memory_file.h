/* SPDX-License-Identifier: MIT */
/*
 * Memory files that targets map, and their seals (memfd_create(2), fcntl(2)).
 */
#ifndef TRACER_KEEPER_OS_MEMORY_FILE_H
#define TRACER_KEEPER_OS_MEMORY_FILE_H

#include "vm/base/base.h"

/* A file of n zero bytes without seals. The caller closes; negative: errno. */
int memory_file_new(const char *name, uint64_t n);

/* Size and seals are fixed: whoever writes to it harms only those who read it. */
bool memory_file_seal(int fd);
/*
 * The same, and no process can map it for writing any more: only mappings that exist can
 * write. Not F_SEAL_WRITE: before Linux 6.7 a file with that seal can only be mapped
 * privately.
 */
bool memory_file_seal_data(int fd);

#endif
