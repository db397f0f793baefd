/* SPDX-License-Identifier: MIT */
#include "cmd/check.h"
#include "cmd/check_table.h"
#include "vm/base/text/shown.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* One run. Files in memory: standard output, that of -o, messages, the result. */
struct files {
	int out, data, err, result;
	int status; /* its exit status, or -1 */
};

static volatile sig_atomic_t child; /* the run under way */
static volatile sig_atomic_t is_interrupted;

bool check_is_wanted(const struct opts *o)
{
	for (size_t i = 0; i < o->settings.len; i++)
		if (strcmp(o->settings.data[i].name, "check") == 0 &&
		    !o->settings.data[i].value)
			return o->mode == OPTS_TRACE;
	return false;
}

static int fail(const struct opts *o, const char *text)
{
	fprintf(stderr, "%s: %s\n", o->command, text);
	return EXIT_FAILURE;
}

/* Why these cannot run several times; NULL: they can. */
static const char *refusal(const struct opts *o)
{
	static const char *const others[] = {"flame",	 "heatmap", "pprof",
					     "timeline", "metrics", "top"};
	const struct opts_target *target = o->targets.data;

	if (o->targets.len != 1 || !(target->command || target->words))
		return "check runs one command several times: give it with -c, or "
		       "after "
		       "--, and no process with -p";
	for (size_t i = 0; i < o->settings.len; i++)
		for (size_t k = 0; k < ARRAY_LEN(others); k++)
			if (strcmp(o->settings.data[i].name, others[k]) == 0)
				return "check compares text: no picture, profile, view "
				       "or metrics";
	return NULL;
}

/* A signal that was sent to us alone; one of the terminal goes to all. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	(void)context;
	is_interrupted = 1;
	if (child > 0 && info->si_code <= 0)
		kill((pid_t)child, sig);
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = pass_on,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &action, NULL);
}

static bool open_files(struct files *f)
{
	f->out = memfd_create("check-out", MFD_CLOEXEC);
	f->data = memfd_create("check-data", MFD_CLOEXEC);
	f->err = memfd_create("check-err", MFD_CLOEXEC);
	f->result = memfd_create("check-result", MFD_CLOEXEC);
	return f->out >= 0 && f->data >= 0 && f->err >= 0 && f->result >= 0;
}

/* The same standard input for each run: a file from where it is, else nothing. */
static void use_input(void)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	int fd = open(at < 0 ? "/dev/null" : "/proc/self/fd/0", O_RDONLY);

	if (fd < 0)
		fd = open("/dev/null", O_RDONLY);
	if (at > 0)
		lseek(fd, at, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* In the process of the run: addresses do not vary, output goes to the files. */
_Noreturn static void be_run(struct opts *o, const struct files *f, bool by_jumps,
			     int (*run)(struct opts *o, bool by_jumps, int fd))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char path[32];
	int status;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	personality(ADDR_NO_RANDOMIZE);
	use_input();
	dup2(f->out, STDOUT_FILENO);
	dup2(f->err, STDERR_FILENO);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->data);
	if (o->output)
		o->output = path;
	status = run(o, by_jumps, f->result);
	exit(status);
}

/* The exit status of the run, or -1. */
static int do_run(struct opts *o, const struct files *f, bool by_jumps,
		  int (*run)(struct opts *o, bool by_jumps, int fd))
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		be_run(o, f, by_jumps, run);
	child = pid;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void read_file(int fd, struct strbuf *to)
{
	char piece[65536];
	ssize_t n;
	off_t at = 0;

	strbuf_puts(to, "");
	while ((n = pread(fd, piece, sizeof(piece), at)) > 0) {
		strbuf_add(to, piece, (size_t)n);
		at += n;
	}
}

/* Appends what -o got to its file. */
static int put_data(const struct opts *o, int fd)
{
	FILE *file = fopen(o->output, "a");
	struct strbuf text = {0};
	bool is_good;

	if (!file) {
		shown_printf(stderr, "%s: failed to open output file '%s': %s\n",
			     o->command, o->output, strerror(errno));
		return -1;
	}
	read_file(fd, &text);
	is_good = fwrite(text.data, 1, text.len, file) == text.len;
	strbuf_release(&text);
	return fclose(file) == 0 && is_good ? 0 : -1;
}

static void put(int fd, FILE *to)
{
	struct strbuf text = {0};

	read_file(fd, &text);
	fwrite(text.data, 1, text.len, to);
	fflush(to);
	strbuf_release(&text);
}

/* All that the user would see of the run. */
static int show(const struct opts *o, const struct files *f)
{
	put(f->err, stderr);
	put(f->out, stdout);
	return o->output ? put_data(o, f->data) : 0;
}

static int compare(const struct opts *o, struct check_table *t,
		   const struct files files[CHECK_RUNS])
{
	struct strbuf outputs[CHECK_RUNS] = {{0}}, text = {0};
	bool is_same;

	for (int i = 0; i < t->nruns; i++) {
		read_file(files[i].out, &outputs[i]);
		if (o->output)
			read_file(files[i].data, &outputs[i]);
	}
	is_same = check_table_compare(t, &text);
	if (!t->ends[0].lost)
		is_same &= check_compare_outputs(t, outputs, &text);
	shown_printf(stderr, "%s: %s\n", o->command, text.data);
	for (int i = 0; i < CHECK_RUNS; i++)
		strbuf_release(&outputs[i]);
	strbuf_release(&text);
	return is_same ? 0 : 1;
}

/* The run, and its result into the table. Another exit status than 0: an error. */
static bool run_one(struct opts *o, struct check_table *t, struct files *f,
		    int (*run)(struct opts *o, bool by_jumps, int fd))
{
	struct strbuf result = {0};
	bool is_good;

	f->status = do_run(o, f, check_run_is_by_fpid(t->nruns), run);
	read_file(f->result, &result);
	is_good = f->status >= 0 && check_table_read(t, &result);
	strbuf_release(&result);
	if (is_good)
		check_table_sort(t);
	return is_good;
}

static void close_files(const struct files *f)
{
	close(f->out);
	close(f->data);
	close(f->err);
	close(f->result);
}

/* What is left to chance may be the same in two runs by pid, and not in that by fpid. */
static bool is_to_run(const struct check_table *t)
{
	return t->nruns < CHECK_RUNS_FIRST ||
	       (t->nruns < CHECK_RUNS && check_table_differs(t));
}

int check_runs(struct opts *o, int (*run)(struct opts *o, bool by_jumps, int fd))
{
	struct check_table table = {0};
	struct files files[CHECK_RUNS] = {0};
	const char *why = refusal(o);
	int result, done = 0;

	if (why)
		return fail(o, why);
	for (int i = 0; i < CHECK_RUNS; i++)
		if (!open_files(&files[i]))
			return fail(o, "check: no file in memory can be made");
	catch_signals();
	while (is_to_run(&table) && !is_interrupted &&
	       run_one(o, &table, &files[done], run))
		done++;
	if (show(o, &files[0]) || done == 0) {
		result = files[0].status > 0 ? files[0].status : EXIT_FAILURE;
	} else if (is_interrupted) {
		result = fail(o, "check: interrupted, nothing is compared");
	} else if (is_to_run(&table)) {
		put(files[done].err, stderr);
		result = fail(o, check_run_is_by_fpid(done)
					 ? "check: a run by fpid has failed"
					 : "check: another run by pid has failed");
	} else {
		result = compare(o, &table, files) ? 1 : files[0].status;
	}
	for (int i = 0; i < CHECK_RUNS; i++)
		close_files(&files[i]);
	check_table_release(&table);
	return result;
}
