/* SPDX-License-Identifier: MIT */
/*
 * The pulse of long work: whoever began it is called now and then, to show how far it is
 * and to say whether it is to be given up. For each thread of its own.
 */
#ifndef VM_BASE_HOST_PULSE_H
#define VM_BASE_HOST_PULSE_H

#include "vm/base/base.h"

/* From now on pulse() calls beat(ctx); NULL: it calls nothing. */
void pulse_set(bool (*beat)(void *ctx), void *ctx);
bool pulse_is_set(void);
/* True: the work is to be given up at once. What it has made is incomplete. */
bool pulse(void);

#endif
