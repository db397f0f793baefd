/* SPDX-License-Identifier: MIT */
/*
 * The command of -c is a child of dtrace, so that it keeps the terminal, session and
 * process group. It waits for a byte in a pipe until the keeper has seized it, and only
 * then executes:
 *
 *	dtrace			child			keeper
 *	fork ------------------> PR_SET_PTRACER
 *	SEIZE ------------------------------------------> PTRACE_SEIZE
 *	'go' ------------------> execve
 *				 stopped at EXEC -------> EV_EXEC
 */
#include "tracer/targets/spawn.h"
#include "tracer/base/inherited_signals.h"
#include "tracer/targets/command_words.h"
#include "tracer/targets/environment.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/target.h"
#include "tracer/targets/target_event.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int seize(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SEIZE,
			.pid = target->pid,
			.seize.flags = target->created ? KEEPER_SEIZE_CREATED : 0}};
	int rc = 0, fd = -1;

	if (t->link.fd < 0)
		rc = link_open(&t->link, e);
	if (rc == 0)
		rc = link_call(&t->link, &req, NULL, &fd, e);
	target_take_memory(target, fd);
	if (rc)
		target->alive = false;
	return rc;
}

int spawn_grab(struct tracer *t, int pid, bool is_named, struct err *e)
{
	struct target *target = target_find(t, pid);
	int rc;

	if (t->is_past)
		return err_set(e, STATUS_UNSUP,
			       "a recording is replayed: its processes "
			       "are no more");
	if (target) { /* -p twice, or -p and a description */
		target->is_named |= is_named;
		return 0;
	}
	target = target_add(t, pid);
	target->is_named = is_named;
	rc = seize(t, target, e);
	if (rc == 0)
		rc = objects_read(t, target, e);
	target->alive = rc == 0;
	target->ready = rc == 0;
	return rc;
}

/* What -c executes. */
struct program {
	char path[PATH_MAX];
	bool launches; /* a script, or a program that executes another one */
};

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The file that execvp(3) would take, in path; NOENT. */
static int find_program(const char *name, char *path, size_t cap, struct err *e)
{
	const char *dir = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, cap, "%s", name);
		if (access(path, X_OK) < 0)
			return err_set(e, STATUS_NOENT, "%s", strerror(errno));
		return 0;
	}
	for (dir = dir ? dir : "/bin:/usr/bin"; *dir; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		snprintf(path, cap, "%.*s/%s", (int)(n ? n : 1), n ? dir : ".", name);
		if (is_program(path))
			return 0;
		dir += n;
	}
	return err_set(e, STATUS_NOENT, "No such file or directory");
}

/* Programs whose only work is to execute another one. */
static bool is_launcher(const char *path)
{
	static const char *const names[] = {"sh",      "bash",	 "dash",    "ash",
					    "zsh",     "ksh",	 "busybox", "env",
					    "nice",    "nohup",	 "setsid",  "stdbuf",
					    "taskset", "chrt",	 "ionice",  "prlimit",
					    "setarch", "chroot", "unshare", "setpriv"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(slash ? slash + 1 : path, names[i]) == 0)
			return true;
	return false;
}

static int check_program(struct program *program, struct err *e)
{
	struct program_file file;
	int rc = program_file_read(program->path, &file, e);

	if (rc)
		return rc;
	program->launches = !file.is_elf || is_launcher(program->path);
	if (!file.is_elf && !*file.interpreter)
		return err_set(e, STATUS_BADFMT,
			       "Exec format error: it is neither an ELF program nor a "
			       "script that begins with #!");
	if (file.is_elf && !file.is_native)
		return err_set(
			e, STATUS_UNSUP,
			"it is not a 64-bit x86-64 program: only those can be traced");
	return 0;
}

struct launch {
	int go[2], report[2]; /* pipes: the byte to go on; errno of a failed execve */
	char **env;
};

/*
 * In the child: waits for the byte, then executes. Signal handling, umask and
 * environment are still those that dtrace was started with, and must stay so.
 */
static ATTR_NORETURN void child_main(const char *path, char *const *argv,
				     const struct launch *b, pid_t keeper)
{
	char byte;
	int failure;

	/* With Yama's ptrace_scope 1 only a declared tracer may seize us. */
	prctl(PR_SET_PTRACER, (unsigned long)keeper, 0, 0, 0);
	inherited_signals_restore();
	if (read(b->go[0], &byte, 1) != 1)
		_exit(127); /* dtrace has ended */
	execve(path, argv, b->env);
	failure = errno;
	if (write(b->report[1], &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

static void close_launch(struct launch *b)
{
	for (int i = 0; i < 2; i++) {
		if (b->go[i] >= 0)
			close(b->go[i]);
		if (b->report[i] >= 0)
			close(b->report[i]);
	}
	environment_free(b->env);
	*b = (struct launch){{-1, -1}, {-1, -1}, NULL};
}

/* Acts on events until the target is ready and held, or has gone. */
static int wait_ready(struct tracer *t, struct target *target, struct err *e)
{
	while (target->alive && !target->ready) {
		struct pollfd p = {.fd = t->link.fd, .events = POLLIN};
		struct link_message event;
		int rc = link_event(&t->link, &event);

		if (rc < 0)
			return err_set(e, STATUS_LINK, "the keeper process has gone");
		if (rc > 0)
			target_event(t, &event);
		else
			poll(&p, 1, -1);
	}
	return target->alive ? 0 : err_set(e, STATUS_GONE, "the process has gone");
}

/* Lets the seized child execute and waits until its libraries are mapped. */
static int let_execute(struct tracer *t, struct target *target, struct launch *b,
		       struct err *e)
{
	int failure = 0;

	close(b->report[1]);
	b->report[1] = -1;
	if (write(b->go[1], "g", 1) != 1)
		return err_errno(e, STATUS_GONE, "cannot start the process");
	if (read(b->report[0], &failure, sizeof(failure)) == sizeof(failure)) {
		target->alive = false;
		waitpid(target->pid, NULL, 0);
		return err_set(e, STATUS_NOENT, "%s", strerror(failure));
	}
	return wait_ready(t, target, e);
}

static int launch(struct tracer *t, const struct program *program, char *const *argv,
		  struct err *e)
{
	struct launch b = {{-1, -1}, {-1, -1}, environment_new(&t->options)};
	struct target *target;
	int rc = 0;
	pid_t pid;

	if (t->link.fd < 0)
		rc = link_open(&t->link, e);
	if (rc)
		goto out;
	if (pipe2(b.go, O_CLOEXEC) < 0 || pipe2(b.report, O_CLOEXEC) < 0) {
		rc = err_errno(e, STATUS_NOMEM, "cannot make a pipe");
		goto out;
	}
	pid = fork();
	if (pid == 0) {
		close(b.go[1]);
		child_main(program->path, argv, &b, t->link.pid);
	}
	if (pid < 0) {
		rc = err_errno(e, STATUS_NOMEM, "cannot fork");
		goto out;
	}
	target = target_add(t, pid);
	target->created = target->is_named = true;
	target->is_launcher = program->launches;
	rc = seize(t, target, e);
	if (rc == 0)
		rc = let_execute(t, target, &b, e);
out:
	close_launch(&b);
	return rc;
}

int spawn_words(struct tracer *t, char *const *words, struct err *e)
{
	struct program program = {0};
	int rc = find_program(words[0], program.path, sizeof(program.path), e);

	if (rc == 0)
		rc = check_program(&program, e);
	if (rc == 0)
		rc = launch(t, &program, words, e);
	return rc;
}

int spawn_command(struct tracer *t, const char *command, struct err *e)
{
	char **words = NULL;
	int rc = command_words(command, &words, e);

	if (rc == 0)
		rc = spawn_words(t, words, e);
	command_words_free(words);
	return rc;
}
