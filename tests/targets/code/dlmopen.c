/* SPDX-License-Identifier: MIT */
/*
 * dlmopen LIBRARY [MS]: the library in three link maps, called 1, 2 and 3 times in them.
 * With MS the loader waits for so long when it has mapped an object and closes its file:
 * then no list has the object yet.
 */
#include "../truth.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long (*load(Lmid_t where, const char *path))(long)
{
	void *lib = dlmopen(where, path, RTLD_NOW);
	void *found = lib ? dlsym(lib, "plugged") : NULL;

	return (long (*)(long))found;
}

/* All are there when this is called. */
KEEP int calls(long (*f)(long), long n)
{
	for (long i = 0; i < n; i++)
		if (f(n) != n * 5)
			return 1;
	return 0;
}

/* ---- a slow loader ---- */

static int delay_ms;
static int listener = -1;

/* Lets each close() of the main thread wait. */
static void *let_wait(void *unused)
{
	while (__atomic_load_n(&listener, __ATOMIC_ACQUIRE) < 0)
		usleep(100);
	for (;;) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp go_on = {
			.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			return unused;
		usleep((unsigned)delay_ms * 1000);
		go_on.id = call.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &go_on);
	}
}

static int slow_down(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
	pthread_t helper;
	long fd;

	if (pthread_create(&helper, NULL, let_wait, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	__atomic_store_n(&listener, (int)fd, __ATOMIC_RELEASE);
	return (int)fd;
}

int main(int argc, char **argv)
{
	long (*own)(long) = argc > 1 ? load(LM_ID_BASE, argv[1]) : 0;
	long (*second)(long), (*third)(long);

	delay_ms = argc > 2 ? atoi(argv[2]) : 0;
	if (!own || (delay_ms && slow_down() < 0))
		return 2;
	second = load(LM_ID_NEWLM, argv[1]);
	third = load(LM_ID_NEWLM, argv[1]);
	if (!second || !third)
		return 2;
	return calls(own, 1) + calls(second, 2) + calls(third, 3);
}
