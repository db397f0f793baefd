/* SPDX-License-Identifier: MIT */
/*
 * What tables of names and keys are salted with that a target chooses: it cannot make up
 * many that have the same hash.
 */
#ifndef VM_BASE_HOST_SECRET_H
#define VM_BASE_HOST_SECRET_H

#include "vm/base/base.h"

/* A random number, the same for as long as this process runs. Any thread may ask. */
uint64_t secret_number(void);

#endif
