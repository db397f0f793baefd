/* SPDX-License-Identifier: MIT */
#include "tracer/events/call_chain.h"

#include <linux/perf_event.h>

void call_chain_split(const uint64_t *ips, uint64_t n, struct ring_record *out)
{
	uint64_t marker = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (ips[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			marker = ips[i];
			continue;
		}
		if (marker == (uint64_t)PERF_CONTEXT_KERNEL) {
			out->kernel = out->nkernel ? out->kernel : &ips[i];
			out->nkernel++;
		} else if (marker == (uint64_t)PERF_CONTEXT_USER) {
			out->user = out->nuser ? out->user : &ips[i];
			out->nuser++;
		}
	}
}
