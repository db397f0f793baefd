/* SPDX-License-Identifier: MIT */
/*
 * What a descriptor of a target is, without touching the file: that might wait.
 */
#ifndef TRACER_KEEPER_OS_CUT_FILE_H
#define TRACER_KEEPER_OS_CUT_FILE_H

#include "tracer/keeper/os/cut_call.h"

/* For struct cut_stop. The thread is traced. */
bool cut_file_is(int tid, int fd, enum cut_file what);

#endif
