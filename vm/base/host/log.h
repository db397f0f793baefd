/* SPDX-License-Identifier: MIT */
/*
 * Debug messages on stderr, off unless DTRACE_DEBUG is set: to 1 for all
 * domains or to a comma-separated list of their names. Never for users.
 */
#ifndef VM_BASE_HOST_LOG_H
#define VM_BASE_HOST_LOG_H

#include "vm/base/base.h"

/* Turns on all domains, unless the environment chooses some. */
void log_enable(void);
bool log_is_on(const char *domain);
/* "domain: text\n", written by one write(2). */
void log_debug(const char *domain, const char *fmt, ...) ATTR_PRINTF(2, 3);

#endif
