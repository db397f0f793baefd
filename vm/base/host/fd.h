/* SPDX-License-Identifier: MIT */
#ifndef VM_BASE_HOST_FD_H
#define VM_BASE_HOST_FD_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all n bytes, in as many calls as that takes; false: errno says why not. */
bool fd_write_all(int fd, const void *bytes, size_t n);

#endif
