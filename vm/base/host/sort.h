/* SPDX-License-Identifier: MIT */
/*
 * Sorting of an array by a number, which takes no time that grows with the logarithm:
 * where most of it is in order already, and of keys apart from what they stand for.
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

struct sort_key {
	uint64_t key;
	uint64_t i; /* what it stands for: an index of the caller's */
};

/* Sorts by key, ascending; equal ones stay in their order. Compares nothing. */
void sort_keys(struct sort_key *keys, size_t n);

#endif
