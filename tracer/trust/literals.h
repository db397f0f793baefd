/* SPDX-License-Identifier: MIT */
/*
 * Which values that an action records are strings of the program's own text. All others
 * may come from a target.
 */
#ifndef TRACER_TRUST_LITERALS_H
#define TRACER_TRUST_LITERALS_H

#include "vm/base/base.h"

/*
 * By action of the image (verified): bit N is set when its field N is a string literal
 * wherever the action is recorded. Fields from 64 on have no bit. The caller frees it.
 */
uint64_t *literals_new(const void *image);

#endif
