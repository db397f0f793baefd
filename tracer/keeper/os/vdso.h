/* SPDX-License-Identifier: MIT */
/*
 * The functions that the kernel maps into each process.
 */
#ifndef TRACER_KEEPER_OS_VDSO_H
#define TRACER_KEEPER_OS_VDSO_H

#include "tracer/keeper/os/procfs.h"

/*
 * Address of clock_gettime in the process's vDSO, whose memory is read through
 * mem; 0 when there is none or it is not as expected.
 */
taddr vdso_clock(const struct procfs_maps *maps, int mem);

#endif
