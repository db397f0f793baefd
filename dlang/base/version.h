/* SPDX-License-Identifier: MIT */
/*
 * Versions of the language as numbers: 8 bits major, 12 minor, 12 micro.
 */
#ifndef DLANG_BASE_VERSION_H
#define DLANG_BASE_VERSION_H

#include "vm/base/base.h"

#define VERSION(major, minor, micro)                                                   \
	((uint32_t)(major) << 24 | (uint32_t)(minor) << 12 | (uint32_t)(micro))

/* Parses n characters as a version, known or not. INVAL if they are none. */
int version_parse(const char *text, size_t n, uint32_t *version);

#endif
