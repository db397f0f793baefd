/* SPDX-License-Identifier: MIT */
/*
 * filtered SECONDS: a seccomp filter kills it for mmap, munmap and restart_syscall, which
 * it does not call itself; then it calls work() every millisecond and prints "ready" when
 * that is so.
 */
#include "../truth.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long calls;

KEEP int work(int i)
{
	volatile int x[4] = {i};

	hit(&calls);
	return x[0];
}

static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) * 1000 : 0;
	static char buffer[BUFSIZ];

	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	if (filter())
		return 3;
	puts("ready");
	for (int i = 0; i < turns; i++) {
		work(i);
		usleep(1000);
	}
	truth("work", &calls);
	return 0;
}
