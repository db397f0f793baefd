/* SPDX-License-Identifier: MIT */
/*
 * The vDSO: functions that the kernel maps into each process (vdso(7)).
 */
#ifndef TRACER_KEEPER_OS_VDSO_H
#define TRACER_KEEPER_OS_VDSO_H

#include "tracer/keeper/os/procfs.h"

/*
 * The address of clock_gettime in the vDSO that maps shows, read through mem
 * (/proc/PID/mem). 0: there is no vDSO, or it has another format.
 */
taddr vdso_clock(const struct procfs_maps *maps, int mem);

/*
 * Whether the clocks of this machine are the time-stamp counter of its processors. False
 * where /sys does not say so.
 */
bool vdso_is_tsc(void);

#endif
