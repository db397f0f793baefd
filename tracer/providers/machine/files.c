/* SPDX-License-Identifier: MIT */
/*
 * The provider fsinfo: what is asked of file systems, by the calls of processes. It fires
 * at the call, when its descriptor is known, and for open() when it returns.
 */
#include "tracer/providers/machine/machine.h"

#define MAP_ANONYMOUS_BIT 0x20

static const struct kernel_view sized = {
	.args = {MACHINE_FIELD("fd"), MACHINE_FIELD("count")}};
static const struct kernel_view unsized = {.args = {MACHINE_FIELD("fd")}};
static const struct kernel_view mapped = {
	.conditions = {{"flags", KERNEL_NO_BIT, MAP_ANONYMOUS_BIT}},
	.args = {MACHINE_FIELD("fd"), MACHINE_FIELD("len")}};
static const struct kernel_view opened = {
	.conditions = {{"ret", KERNEL_NO_BIT, MACHINE_SIGN}},
	.args = {MACHINE_FIELD("ret")}};

static const struct provider_argument file[] = {{"fileinfo_t *", "kernel_fsinfo_file"},
						{"uint64_t", NULL}};

#define CALL(name, view)	    MACHINE_EVENT("syscalls", name, view)
#define CALL_AND(name, view, other) MACHINE_EVENT_AND("syscalls", name, view, other)

static const char by_name[] =
	"the kernel tells of no file in a file system that is found "
	"by its name: syscall::: has the calls, with the names";

static const struct machine_row rows[] = {
	{"open",
	 CALL_AND("sys_exit_open", &opened,
		  CALL_AND("sys_exit_openat", &opened,
			   CALL_AND("sys_exit_openat2", &opened,
				    CALL("sys_exit_creat", &opened)))),
	 MACHINE_ARGS(file)},
	{"read", CALL_AND("sys_enter_read", &sized, CALL("sys_enter_pread64", &sized)),
	 MACHINE_ARGS(file)},
	{"write",
	 CALL_AND("sys_enter_write", &sized, CALL("sys_enter_pwrite64", &sized)),
	 MACHINE_ARGS(file)},
	{"fsync",
	 CALL_AND("sys_enter_fsync", &unsized, CALL("sys_enter_fdatasync", &unsized)),
	 MACHINE_ARGS(file)},
	{"ioctl", CALL("sys_enter_ioctl", &unsized), MACHINE_ARGS(file)},
	{"map", CALL("sys_enter_mmap", &mapped), MACHINE_ARGS(file)},
	{"readdir",
	 CALL_AND("sys_enter_getdents64", &sized, CALL("sys_enter_getdents", &sized)),
	 MACHINE_ARGS(file)},
	MACHINE_REFUSED("close", "when it is seen the file is not open any more: "
				 "syscall::close:entry has the call"),
	MACHINE_REFUSED("create", by_name),
	MACHINE_REFUSED("getattr", by_name),
	MACHINE_REFUSED("link", by_name),
	MACHINE_REFUSED("lookup", by_name),
	MACHINE_REFUSED("mkdir", by_name),
	MACHINE_REFUSED("readlink", by_name),
	MACHINE_REFUSED("remove", by_name),
	MACHINE_REFUSED("rename", by_name),
	MACHINE_REFUSED("rmdir", by_name),
	MACHINE_REFUSED("setattr", by_name),
	MACHINE_REFUSED("symlink", by_name),
};

MACHINE_PROVIDER(fsinfo);
