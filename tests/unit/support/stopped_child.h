/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_SUPPORT_STOPPED_CHILD_H
#define TESTS_UNIT_SUPPORT_STOPPED_CHILD_H

#include <sys/types.h>

/* A fork of the test, traced by it and stopped; it ends with the test at the latest. */
pid_t stopped_child(void);
/* Kills it, and waits until it has ended. */
void end_child(pid_t pid);

#endif
