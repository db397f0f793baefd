/* SPDX-License-Identifier: MIT */
#include "vm/base/host/pulse.h"

static _Thread_local struct {
	bool (*beat)(void *ctx);
	void *ctx;
} hook;

void pulse_set(bool (*beat)(void *ctx), void *ctx)
{
	hook.beat = beat;
	hook.ctx = ctx;
}

bool pulse_is_set(void)
{
	return hook.beat != NULL;
}

bool pulse(void)
{
	return hook.beat && hook.beat(hook.ctx);
}
