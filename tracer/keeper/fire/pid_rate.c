/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/pid_rate.h"

#define WINDOW_NS UINT64_C(1000000000)

bool pid_rate_add(struct pid_rate *r, uint32_t n, uint64_t now)
{
	if (r->is_exceeded)
		return false;
	if (r->events == 0)
		r->begin = now;
	r->events += n;
	if (r->events < PID_RATE_EVENTS)
		return false;
	r->events = 0;
	r->is_exceeded = now - r->begin < WINDOW_NS;
	return r->is_exceeded;
}
