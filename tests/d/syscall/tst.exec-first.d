/* the exec of the program of -c is an event with evaltime=exec: its probe, its return */
/* run: -x evaltime=exec -c "@once@" */
/* SPDX-License-Identifier: MIT */
proc:::exec-success { printf("%s %s\n", probename, execname); }
syscall::execve:return { printf("%s %d %d %s\n", probefunc, arg0, curlwpsinfo->pr_syscall, execname); }
