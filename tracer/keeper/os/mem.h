/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing a target's memory. What the keeper changes goes through
 * /proc/PID/mem, which also reaches private read-only text and PROT_NONE pages. What D
 * programs read and write goes through process_vm_readv(2) and process_vm_writev(2),
 * which reach only what the program itself could. No stop is needed.
 */
#ifndef TRACER_KEEPER_OS_MEM_H
#define TRACER_KEEPER_OS_MEM_H

#include "vm/base/status.h"
#include "vm/base/taddr.h"

/*
 * A descriptor of /proc/PID/mem, which the caller closes; STATUS_PERM, STATUS_GONE. It
 * refers to the present address space: after an exec it reads 0 bytes.
 */
int mem_open(int pid);
/*
 * All n bytes: 0. STATUS_FAULT: some cannot be accessed, though others may have been
 * written. STATUS_GONE: no process uses the address space any more.
 */
int mem_read(int fd, taddr addr, void *buf, size_t n);
int mem_write(int fd, taddr addr, const void *buf, size_t n);

/* As the program could read. Returns how many bytes before the first unreadable page. */
size_t mem_peek(int pid, taddr addr, void *buf, size_t n);
/* As the program could write. All n bytes: 0; else STATUS_FAULT. */
int mem_poke(int pid, taddr addr, const void *buf, size_t n);

#endif
