/* SPDX-License-Identifier: MIT */
/*
 * Debug messages on stderr, off unless DTRACE_DEBUG is set: to 1 for all
 * domains or to a comma-separated list of their names. Never for users.
 */
#ifndef VM_BASE_HOST_LOG_H
#define VM_BASE_HOST_LOG_H

#include "vm/base/base.h"

bool log_is_on(const char *domain);
/* "domain: text\n", written by one write(2). */
void log_debug(const char *domain, const char *fmt, ...) ATTR_PRINTF(2, 3);

#endif
