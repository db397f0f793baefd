/* SPDX-License-Identifier: MIT */
#include "tracer/consume/shell.h"

#include "tracer/base/patience.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The command starts with an empty signal mask, and with the default actions of the
 * signals that dtrace may ignore.
 */
static int start(pid_t *pid, char *const argv[])
{
	posix_spawnattr_t attr;
	sigset_t none, ignored;
	int rc = posix_spawnattr_init(&attr);

	if (rc)
		return rc;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &ignored);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawn(pid, argv[0], NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return rc;
}

static void await_command(pid_t pid)
{
	struct patience_wait outer = patience_begin(AWAITED_COMMAND);

	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR && !patience_is_over())
		;
	patience_end(outer);
}

int shell_run(struct out *o, const char *command, struct err *e)
{
	char sh[] = "/bin/sh", option[] = "-c", *copy;
	char *argv[] = {sh, option, NULL, NULL};
	size_t n = strlen(command) + 1;
	pid_t pid;
	int rc;

	out_flush(o);
	if (patience_gave_up(AWAITED_COMMAND))
		return 0;
	copy = oom_realloc(NULL, n);
	argv[2] = memcpy(copy, command, n);
	rc = start(&pid, argv);
	free(copy);
	if (rc)
		return err_set(e, STATUS_IO, "%s", strerror(rc));
	await_command(pid);
	return 0;
}
