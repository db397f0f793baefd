/* SPDX-License-Identifier: MIT */
#include "tracer/base/fatal_signal.h"
#include "tracer/base/own_file.h"

#include <signal.h>
#include <unistd.h>

#define FILES_MAX 8

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Handlers see each part whole: a count is raised after what it counts is there. */
static struct {
	volatile sig_atomic_t is_shown;
	volatile sig_atomic_t group;
	volatile sig_atomic_t nfiles;
	struct {
		int fd;
		const char *path;
	} files[FILES_MAX];
	pid_t owner; /* children have nothing to do with it */
} acts;

/* The default action follows, as the handler is reset. */
static void on_fatal(int sig)
{
	static const char erasure[] = "\r\033[K";
	ssize_t ignored = 0;

	if (getpid() == acts.owner) {
		if (acts.is_shown)
			ignored = write(STDERR_FILENO, erasure, sizeof(erasure) - 1);
		if (acts.group)
			kill(-(pid_t)acts.group, SIGTERM);
		for (sig_atomic_t i = 0; i < acts.nfiles; i++)
			own_file_remove(acts.files[i].fd, acts.files[i].path);
	}
	(void)ignored;
	raise(sig);
}

/* Only where the default would end dtrace: what it does itself about signals stays. */
static void replace_action(int sig, void (*from)(int), void (*to)(int))
{
	const struct sigaction act = {.sa_handler = to,
				      .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == from)
		sigaction(sig, &act, NULL);
}

static void catch_if_needed(void)
{
	bool is_needed = acts.is_shown || acts.group || acts.nfiles;

	acts.owner = getpid();
	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		replace_action(fatal[i], is_needed ? SIG_DFL : on_fatal,
			       is_needed ? on_fatal : SIG_DFL);
}

void fatal_signal_erase(bool is_shown)
{
	acts.is_shown = is_shown;
	catch_if_needed();
}

void fatal_signal_group(pid_t group)
{
	acts.group = group;
	catch_if_needed();
}

void fatal_signal_file(int fd, const char *path)
{
	if (acts.nfiles == FILES_MAX)
		return;
	acts.files[acts.nfiles].fd = fd;
	acts.files[acts.nfiles].path = path;
	acts.nfiles++;
	catch_if_needed();
}

void fatal_signal_keep_files(void)
{
	acts.nfiles = 0;
	catch_if_needed();
}
