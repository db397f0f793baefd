/* SPDX-License-Identifier: MIT */
#ifndef TRACER_BASE_PATIENT_WRITE_H
#define TRACER_BASE_PATIENT_WRITE_H

#include <stddef.h>

/*
 * Writes all n bytes, and waits for a reader that takes them slowly (AWAITED_READER),
 * also where fd does not block. Returns 0, or the errno of the failure; EINTR: the wait
 * was given up.
 */
int patient_write(int fd, const void *bytes, size_t n);

#endif
