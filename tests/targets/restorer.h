/* SPDX-License-Identifier: MIT */
/* What the C library gave the kernel to return to from a handler. */
#ifndef TARGETS_RESTORER_H
#define TARGETS_RESTORER_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Its address; from then on handler is that of SIGUSR1. */
static inline uintptr_t restorer(void (*handler)(int))
{
	struct {
		uintptr_t handler, flags, restorer, mask;
	} action = {0};

	signal(SIGUSR1, handler);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
	return action.restorer;
}

#endif
