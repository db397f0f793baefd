/* SPDX-License-Identifier: MIT */
/*
 * What is still done when a signal ends dtrace by its default action: before the run
 * catches signals (run_signals.h), nothing waits for dtrace to end in order. Signals that
 * are ignored or caught are left as they are.
 */
#ifndef TRACER_BASE_FATAL_SIGNAL_H
#define TRACER_BASE_FATAL_SIGNAL_H

#include <stdbool.h>
#include <sys/types.h>

/* The line of the terminal is erased: the progress must not stay. */
void fatal_signal_erase(bool is_shown);
/* A process group ends as well; 0: none. */
void fatal_signal_group(pid_t group);
/* The file is removed, as own_file_remove() does: nothing was written to it. Both are
 * borrowed until fatal_signal_keep_files(). */
void fatal_signal_file(int fd, const char *path);
void fatal_signal_keep_files(void);

#endif
