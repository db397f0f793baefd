/* SPDX-License-Identifier: MIT */
/* Processes by name, for -p NAME and -W NAME. */
#ifndef CMD_PROCESS_H
#define CMD_PROCESS_H

#include "vm/base/host/strbuf.h"

/*
 * The one process that has the name: as in /proc/PID/comm, or the base name of its
 * program. Its number, or 0 with a text in why: how many there are, and a line for each.
 * This process and threads of the kernel do not count.
 */
int process_find(const char *name, struct strbuf *why);
/*
 * Waits until a process with this name appears that is not there now. Its number. Looks
 * for it every 10 ms, or less often if that takes long; SIGINT and SIGTERM have their
 * default actions meanwhile. 0 with a text in why: /proc cannot be read.
 */
int process_wait(const char *name, struct strbuf *why);

#endif
