/* SPDX-License-Identifier: MIT */
/*
 * probekeeper FD FRONT-PID: see keeper.h. Started by the front only.
 */
#include "tracer/keeper/keeper.h"
#include "tracer/keeper/loop.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/background.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * Signals that end or stop the front, or its terminal, must not affect the keeper. A file
 * that is too large is an error, not its death.
 */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGPIPE, SIGQUIT,
				      SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR2, SIGXFSZ};

	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

/* If the OOM killer chose the keeper, targets of -c would die with it. */
static void avoid_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-900", 4) < 0) {
		/* Only root may lower it. */
	}
	close(fd);
}

/* If stderr is closed, its number could become a target's memory. */
static void fill_closed_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static bool parse(const char *text, int *out)
{
	char *end;
	long v = strtol(text, &end, 10);

	*out = (int)v;
	return end != text && !*end && v >= 0 && v <= INT32_MAX;
}

/* What the keeper is started with. */
struct command {
	int link, front;
};

static int serve(void *ctx)
{
	const struct command *c = ctx;
	struct err e;
	int status = loop_run(c->link, c->front, &e) < 0;

	/* Targets have been given back: the end of the front need not wake us (link.c),
	   and its SIGCONT would undo the SIGSTOP of a search for leaks. */
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	if (status)
		fprintf(stderr, "%s: %s\n", KEEPER_NAME, e.text);
	return status;
}

int main(int argc, char **argv)
{
	struct command c;
	int status;

	if (argc != 3 || !parse(argv[1], &c.link) || !parse(argv[2], &c.front)) {
		fprintf(stderr, "%s: started by hand: it serves a tracer only\n",
			KEEPER_NAME);
		return 2;
	}
	/* Child processes must not inherit the socket. */
	if (fcntl(c.link, F_SETFD, FD_CLOEXEC) < 0) {
		fprintf(stderr, "%s: descriptor %d is not open\n", KEEPER_NAME, c.link);
		return 2;
	}
	fill_closed_descriptors();
	/*
	 * Out of reach of the terminal's signals, but in the session: where the scheduler
	 * has a group for each session (sched(7), autogroup), Linux 6.18 can let one wait
	 * for half a minute while the program of another keeps the processors busy.
	 */
	setpgid(0, 0);
	ignore_signals();
	avoid_oom_killer();
	status = stack_run(serve, &c);
	/* A helper sleeps in the kernel: nothing that runs at exit may wait for it. */
	if (helpers_lost())
		_exit(status);
	return status;
}
