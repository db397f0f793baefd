/* SPDX-License-Identifier: MIT */
/*
 * A target's memory: through /proc/PID/mem for what we change (it reaches
 * private read-only text), through process_vm_readv for what D programs read
 * (it reaches what the program itself could read).
 */
#ifndef TRACER_KEEPER_OS_MEM_H
#define TRACER_KEEPER_OS_MEM_H

#include "vm/base/status.h"
#include "vm/base/taddr.h"

/* Descriptor of /proc/pid/mem, or a negative status. The caller closes it. */
int mem_open(int pid);
/* All n bytes, or STATUS_FAULT; STATUS_GONE when the process has gone. */
int mem_read(int fd, taddr addr, void *buf, size_t n);
int mem_write(int fd, taddr addr, const void *buf, size_t n);

/* As the program could read: returns the bytes read before the first unreadable one. */
size_t mem_peek(int pid, taddr addr, void *buf, size_t n);
/* As the program could write: all n bytes, or STATUS_FAULT. */
int mem_poke(int pid, taddr addr, const void *buf, size_t n);

#endif
