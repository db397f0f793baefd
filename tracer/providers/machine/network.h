/* SPDX-License-Identifier: MIT */
/* What the providers tcp, udp and ip share. */
#ifndef TRACER_PROVIDERS_MACHINE_NETWORK_H
#define TRACER_PROVIDERS_MACHINE_NETWORK_H

#include "tracer/providers/machine/machine.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* Conditions: a call that gave bytes to a socket of the protocol, or took them. */
#define NETWORK_OF_CALL(number)                                                        \
	{"protocol", KERNEL_IS, (number)},                                             \
		{"family", KERNEL_ONE_OF, 1 << AF_INET | 1 << AF_INET6},               \
	{                                                                              \
		"ret", KERNEL_NO_BIT, MACHINE_SIGN                                     \
	}
/* Arguments: the socket, the bytes, the family. */
#define NETWORK_CALL                                                                   \
	{                                                                              \
		MACHINE_FIELD("sk"), MACHINE_FIELD("ret"), MACHINE_FIELD("family")     \
	}

#endif
