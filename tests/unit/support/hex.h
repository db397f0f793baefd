/* SPDX-License-Identifier: MIT */
/* Instruction bytes as the tests write them: "48 8d 05 00 01 00 00". */
#ifndef TESTS_UNIT_SUPPORT_HEX_H
#define TESTS_UNIT_SUPPORT_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns the number of bytes written to out, at most cap. */
size_t hex_bytes(const char *text, uint8_t *out, size_t cap);

#endif
