/* SPDX-License-Identifier: MIT */
/*
 * What a fuzzer gives to driver.c. It fails by ending the process: an assertion, a
 * signal, a sanitizer's report.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_INPUT_MAX 65536

/* Runs one input of at most FUZZ_INPUT_MAX bytes. */
void fuzz_one(const uint8_t *data, size_t n);

#endif
