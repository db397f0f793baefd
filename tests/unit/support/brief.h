/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_SUPPORT_BRIEF_H
#define TESTS_UNIT_SUPPORT_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether decode_brief() and decode_quick() say the same of the n bytes; if not, prints
 * them.
 */
bool brief_agrees(const uint8_t *bytes, size_t n);

#endif
