/* SPDX-License-Identifier: MIT */
#include "vm/base/cfi.h"

const struct cfi_module *cfi_find_module(const struct cfi_modules *list, uint64_t pc)
{
	const struct cfi_module *m = list->modules;
	uint32_t n = list->n;

	while (n) {
		uint32_t half = n / 2;

		if (pc >= m[half].hi) {
			m += half + 1;
			n -= half + 1;
		} else if (pc < m[half].lo) {
			n = half;
		} else {
			return &m[half];
		}
	}
	return NULL;
}

const struct cfi_row *cfi_find(const struct cfi_modules *list, uint64_t pc)
{
	const struct cfi_module *m = cfi_find_module(list, pc);
	const struct cfi_row *first, *row = NULL;
	uint64_t n, at;

	if (!m)
		return NULL;
	first = (const void *)(uintptr_t)m->rows;
	at = pc - m->lo;
	/* the last row that is not beyond */
	for (n = m->nrows; n;) {
		uint64_t half = n / 2;

		if (first[half].pc > at) {
			n = half;
		} else {
			row = &first[half];
			first += half + 1;
			n -= half + 1;
		}
	}
	return row;
}
