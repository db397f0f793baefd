/* SPDX-License-Identifier: MIT */
/*
 * Sorting of an array of structs by a number, where most of it is in order already.
 */
#ifndef VM_BASE_HOST_SORT_H
#define VM_BASE_HOST_SORT_H

#include "vm/base/base.h"

/*
 * Sorts n structs of size bytes by the uint64_t that each begins with, ascending; equal
 * ones stay in their order. One look finds that all are in order; a few ascending runs,
 * one behind the other, are merged in a few turns.
 */
void sort_runs(void *data, size_t n, size_t size);

#endif
