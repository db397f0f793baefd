/* SPDX-License-Identifier: MIT */
/*
 * The part of the standard library that is D text: the types psinfo_t and lwpsinfo_t of
 * processes and threads, and their translators. It is compiled before the first program
 * that names any of it. The named integers of the library are a table,
 * check/constant.def. So neither costs time at startup.
 */
#include "dlang/internal.h"
#include "vm/base/host/fdinfo.h"

_Static_assert(FDINFO_PATH == 0 && FDINFO_FS == 1 && FDINFO_MOUNT == 2 &&
		       FDINFO_OFFSET == 3 && FDINFO_OFLAGS == 4 && FDINFO_DIR == 5,
	       "the numbers in fileinfo_t");

/* clang-format off */

/*
 * The members of psinfo_t. A new child process differs from its parent only in the
 * parameters.
 */
#define PSINFO(nlwp, id, parent, start)                                                \
	"	pr_nlwp = " nlwp "; pr_pid = " id "; pr_ppid = " parent ";\n"            \
	"	pr_pgid = curpsinfo_pgid; pr_sid = curpsinfo_sid; pr_uid = uid;\n"      \
	"	pr_euid = curpsinfo_euid; pr_gid = gid; pr_egid = curpsinfo_egid;\n"    \
	"	pr_addr = 0; pr_ttydev = curpsinfo_ttydev;\n"                           \
	"	pr_start = xlate <timestruc_t> (" start ");\n"                          \
	"	pr_time = xlate <timestruc_t> (\n"                                      \
	"	    (uint64_t)walltimestamp - " start ");\n"                            \
	"	pr_fname = execname; pr_psargs = curpsinfo_psargs; pr_wstat = 0;\n"     \
	"	pr_argc = curpsinfo_argc; pr_argv = curpsinfo_argv;\n"                  \
	"	pr_envp = curpsinfo_envp; pr_dmodel = 2; pr_taskid = 0;\n"              \
	"	pr_projid = 0; pr_poolid = 0; pr_zoneid = 0;\n"                        \
	"	pr_nzomb = 0; pr_contract = 0;\n"

#define LWPSINFO(id, state, onpro, call)                                               \
	"	pr_flag = 0; pr_lwpid = " id "; pr_addr = 0; pr_wchan = 0;\n"           \
	"	pr_stype = 0; pr_state = " state " == 'R' ? SRUN :\n"                   \
	"	    " state " == 'T' || " state " == 't' ? SSTOP :\n"                   \
	"	    " state " == 'Z' || " state " == 'X' ? SZOMB :\n"                   \
	"	    SSLEEP;\n"                                                          \
	"	pr_sname = " state "; pr_syscall = (short)" call ";\n"            \
	"	pr_pri = curlwpsinfo_pri;\n"                                           \
	"	pr_clname = \"TS\"; pr_name = threadname; pr_onpro = " onpro ";\n"

/*
 * Types and members have the names that DTrace scripts use. Members without a meaning in
 * user mode are 0 or -1. The built-in variables describe the thread that fired the probe.
 */
const char dlang_standard_text[] =
	"typedef struct timestruc { long tv_sec; long tv_nsec; } timestruc_t;\n"
	"translator timestruc_t < uint64_t NS > {\n"
	"	tv_sec = NS / 1000000000; tv_nsec = NS % 1000000000;\n"
	"};\n"
	"typedef struct psinfo {\n"
	"	int pr_nlwp; pid_t pr_pid; pid_t pr_ppid; pid_t pr_pgid; pid_t "
	"pr_sid;\n"
	"	uid_t pr_uid; uid_t pr_euid; gid_t pr_gid; gid_t pr_egid;\n"
	"	uintptr_t pr_addr; uint64_t pr_ttydev; timestruc_t pr_start;\n"
	"	timestruc_t pr_time; char pr_fname[16]; char pr_psargs[80];\n"
	"	int pr_wstat; int pr_argc; uintptr_t pr_argv; uintptr_t pr_envp;\n"
	"	char pr_dmodel; id_t pr_taskid; id_t pr_projid; id_t pr_poolid;\n"
	"	id_t pr_zoneid; int pr_nzomb; id_t pr_contract;\n"
	"	size_t pr_size; size_t pr_rssize;\n"
	"} psinfo_t;\n"
	"typedef struct lwpsinfo {\n"
	"	int pr_flag; id_t pr_lwpid; uintptr_t pr_addr; uintptr_t pr_wchan;\n"
	"	char pr_stype; char pr_state; char pr_sname; short pr_syscall;\n"
	"	int pr_pri; char pr_clname[8]; char pr_name[16]; int pr_onpro;\n"
	"	char pr_oldpri; char pr_cpu; char pr_nice;\n"
	"} lwpsinfo_t;\n"
	"translator psinfo_t < struct thread *T > {\n" PSINFO(
		"curpsinfo_nlwp", "pid", "ppid", "curpsinfo_start")
	"};\n"
	"translator lwpsinfo_t < struct thread *T > {\n" LWPSINFO(
		"tid", "curlwpsinfo_state", "curlwpsinfo_onpro", "curlwpsinfo_syscall")
	"};\n"
	"inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct thread *)NULL);\n"
	"inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (\n"
	"    (struct thread *)NULL);\n"
	"#pragma D attributes Stable/Stable/Common curpsinfo\n"
	"#pragma D attributes Stable/Stable/Common curlwpsinfo\n"
	/* Arguments of the probes of the provider proc. */
	"translator psinfo_t < struct proc_child *C > {\n" PSINFO(
		"1", "(pid_t)arg0", "pid", "(uint64_t)walltimestamp")
	"};\n"
	"translator lwpsinfo_t < struct proc_child *C > {\n" LWPSINFO(
		"(id_t)arg0", "'R'", "-1", "-1")
	"};\n"
	"inline psinfo_t *proc_child = xlate <psinfo_t *> (\n"
	"    (struct proc_child *)NULL);\n"
	"inline lwpsinfo_t *proc_lwp = xlate <lwpsinfo_t *> (\n"
	"    (struct proc_child *)NULL);\n"
	"inline string proc_path = copyinstr(arg0);\n"
	"struct proc_siginfo {\n"
	"	int si_signo; int si_code; int si_errno; uintptr_t si_addr;\n"
	"};\n"
	"translator struct proc_siginfo < struct proc_fault *F > {\n"
	"	si_signo = (int)arg1; si_code = (int)arg2; si_errno = 0;\n"
	"	si_addr = (uintptr_t)arg3;\n"
	"};\n"
	"inline struct proc_siginfo *proc_siginfo = xlate <struct proc_siginfo *> (\n"
	"    (struct proc_fault *)NULL);\n"
	"#pragma D attributes Evolving/Evolving/ISA proc_siginfo\n"
	/*
	 * The present thread, as an opaque pointer. Its number tells it from all other
	 * threads of the system; a thread pointer is the same in a process and its
	 * fork child.
	 */
	"inline struct thread *curthread = (struct thread *)\n"
	"    (0xffff888000000000 + (uint64_t)tid * 1024);\n"
	"inline string zonename = \"global\";\n"
	"typedef struct cpuinfo {\n"
	"	int cpu_id; int cpu_pset; int cpu_chip; int cpu_lgrp;\n"
	"} cpuinfo_t;\n"
	"translator cpuinfo_t < struct cpu_here *C > {\n"
	"	cpu_id = cpu; cpu_pset = 0; cpu_chip = curcpu_chip; cpu_lgrp = 0;\n"
	"};\n"
	"inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> ((struct cpu_here *)NULL);\n"
	/* Descriptors of the present process; the numbers are those of enum fdinfo. */
	"typedef struct fileinfo {\n"
	"	string fi_name; string fi_dirname; string fi_pathname;\n"
	"	int64_t fi_offset; string fi_fs; string fi_mount; int fi_oflags;\n"
	"} fileinfo_t;\n"
	"translator fileinfo_t < struct descriptor *D > {\n"
	"	fi_name = basename(fd_text((int)(uintptr_t)D, 0));\n"
	"	fi_dirname = fd_text((int)(uintptr_t)D, 5);\n"
	"	fi_pathname = fd_text((int)(uintptr_t)D, 0);\n"
	"	fi_offset = fd_number((int)(uintptr_t)D, 3);\n"
	"	fi_fs = fd_text((int)(uintptr_t)D, 1);\n"
	"	fi_mount = fd_text((int)(uintptr_t)D, 2);\n"
	"	fi_oflags = (int)fd_number((int)(uintptr_t)D, 4);\n"
	"};\n"
	"inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (\n"
	"    (struct descriptor *)(uintptr_t)fd);\n"
	"#pragma D attributes Stable/Stable/Common curthread\n"
	"#pragma D attributes Stable/Stable/Common curcpu\n"
	"#pragma D attributes Stable/Stable/Common fds\n"
	"#pragma D attributes Stable/Stable/Common zonename\n"
	/* Arguments of sched and io: another thread, a request of a disk. */
	"translator lwpsinfo_t < struct kernel_thread *T > {\n"
	"	pr_lwpid = (id_t)arg0; pr_pri = (int)arg1; pr_name = copyinstr(arg2);\n"
	"	pr_flag = 0; pr_addr = 0; pr_wchan = 0; pr_stype = 0; pr_state = SRUN;\n"
	"	pr_sname = 'R'; pr_syscall = -1; pr_clname = \"TS\"; pr_onpro = -1;\n"
	"};\n"
	"translator psinfo_t < struct kernel_thread *T > {\n"
	"	pr_pid = (pid_t)arg3; pr_fname = copyinstr(arg2);\n"
	"	pr_addr = 0; pr_wstat = 0; pr_dmodel = 2; pr_taskid = 0; pr_projid = 0;\n"
	"	pr_poolid = 0; pr_zoneid = 0; pr_nzomb = 0; pr_contract = 0;\n"
	"};\n"
	"inline lwpsinfo_t *kernel_lwp = xlate <lwpsinfo_t *> (\n"
	"    (struct kernel_thread *)NULL);\n"
	"inline psinfo_t *kernel_psinfo = xlate <psinfo_t *> (\n"
	"    (struct kernel_thread *)NULL);\n"
	"typedef struct bufinfo {\n"
	"	int b_flags; size_t b_bcount; uintptr_t b_addr; uint64_t b_lblkno;\n"
	"	uint64_t b_blkno; size_t b_resid; size_t b_bufsize;\n"
	"	uintptr_t b_iodone; int b_error; dev_t b_edev;\n"
	"} bufinfo_t;\n"
	"translator bufinfo_t < struct kernel_request *R > {\n"
	"	b_flags = strchr(copyinstr(arg3), 'R') != NULL ? B_READ : B_WRITE;\n"
	"	b_bcount = arg2 + arg5 * 512; b_bufsize = arg2 + arg5 * 512;\n"
	"	b_addr = 0; b_lblkno = arg1; b_blkno = arg1; b_resid = 0;\n"
	"	b_iodone = 0; b_error = -(int)arg6; b_edev = (dev_t)arg0;\n"
	"};\n"
	"inline bufinfo_t *io_buffer = xlate <bufinfo_t *> (\n"
	"    (struct kernel_request *)NULL);\n"
	"typedef struct devinfo {\n"
	"	int dev_major; int dev_minor; int dev_instance; string dev_name;\n"
	"	string dev_statname; string dev_pathname;\n"
	"} devinfo_t;\n"
	"translator devinfo_t < struct kernel_request *R > {\n"
	"	dev_major = (int)(arg0 >> 20); dev_minor = (int)(arg0 & 0xfffff);\n"
	"	dev_instance = (int)(arg0 & 0xfffff); dev_name = copyinstr(arg4);\n"
	"	dev_statname = copyinstr(arg4);\n"
	"	dev_pathname = strjoin(\"/dev/\", copyinstr(arg4));\n"
	"};\n"
	"inline devinfo_t *io_device = xlate <devinfo_t *> (\n"
	"    (struct kernel_request *)NULL);\n"
	"translator fileinfo_t < struct kernel_request *R > {\n"
	"	fi_name = \"<none>\"; fi_dirname = \"<none>\";\n"
	"	fi_pathname = \"<none>\"; fi_offset = 0; fi_fs = \"<none>\";\n"
	"	fi_mount = \"<none>\"; fi_oflags = 0;\n"
	"};\n"
	"inline fileinfo_t *io_file = xlate <fileinfo_t *> (\n"
	"    (struct kernel_request *)NULL);\n"
	"#pragma D attributes Evolving/Evolving/ISA kernel_lwp\n"
	"#pragma D attributes Evolving/Evolving/ISA kernel_psinfo\n"
	"#pragma D attributes Evolving/Evolving/ISA io_buffer\n"
	"#pragma D attributes Evolving/Evolving/ISA io_device\n"
	"#pragma D attributes Evolving/Evolving/ISA io_file\n"
	/* Arguments of the probes of the provider diag. */
	"inline string diag_text1 = copyinstr(arg1);\n"
	"inline string diag_text2 = copyinstr(arg2);\n"
	"#pragma D attributes Evolving/Evolving/Common diag_text1\n"
	"#pragma D attributes Evolving/Evolving/Common diag_text2\n"
	"#pragma D attributes Evolving/Evolving/ISA proc_child\n"
	"#pragma D attributes Evolving/Evolving/ISA proc_lwp\n"
	"#pragma D attributes Evolving/Evolving/ISA proc_path\n";
/* clang-format on */
