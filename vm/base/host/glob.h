/* SPDX-License-Identifier: MIT */
/*
 * The patterns of probe descriptions.
 */
#ifndef VM_BASE_HOST_GLOB_H
#define VM_BASE_HOST_GLOB_H

#include "vm/base/base.h"

/*
 * Whether text matches a D glob: * ? [abc] [a-z] [!abc] and \ to quote. Works
 * on bytes. A pattern that ends inside [ or after \ matches nothing. Takes at most the
 * product of the lengths.
 */
bool glob_match(const char *pattern, const char *text);
/* Whether pattern holds any of * ? [ \ . */
bool glob_is_pattern(const char *pattern);

#endif
