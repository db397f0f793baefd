/* SPDX-License-Identifier: MIT */
#include "tracer/base/inherited_signals.h"
#include "vm/base/base.h"

#include <signal.h>

static const int taken[] = {SIGINT, SIGTERM};

static struct {
	bool is_taken;
	sigset_t mask;
	bool is_ignored[ARRAY_LEN(taken)];
} inherited;

void inherited_signals_take(void)
{
	sigset_t set;

	if (inherited.is_taken)
		return;
	inherited.is_taken = true;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		struct sigaction former;

		sigaddset(&set, taken[i]);
		sigaction(taken[i], NULL, &former);
		inherited.is_ignored[i] = former.sa_handler == SIG_IGN;
		if (inherited.is_ignored[i])
			signal(taken[i], SIG_DFL);
	}
	sigprocmask(SIG_UNBLOCK, &set, &inherited.mask);
}

void inherited_signals_restore(void)
{
	for (size_t i = 0; i < ARRAY_LEN(taken) && inherited.is_taken; i++)
		if (inherited.is_ignored[i])
			signal(taken[i], SIG_IGN);
	if (inherited.is_taken)
		sigprocmask(SIG_SETMASK, &inherited.mask, NULL);
}
