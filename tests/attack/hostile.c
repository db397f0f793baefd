/* SPDX-License-Identifier: MIT */
/*
 * hostile: a target that does what it is told, to others and to its tracer. It prints
 * "ready", then answers each line of its input:
 *
 *	work N			calls work() and jab() N times	work: CALLS
 *	say TEXT		calls say(TEXT)			said
 *	threads N		makes N threads			threads
 *	forks N			makes N children		forks
 *	loads N PATH		loads and unloads a library	loads
 *	spin N			N threads that call work() until the end
 *	open PATH		loads a library for good
 *	child COMMAND...	a child does that, makes two threads and ends
 *	ATTACK ARGUMENTS...	see the files of attacks	ATTACK: what it wrote
 *
 * It may die at any moment, which the tests do not mind. At the end of its input it exits
 * with 3.
 */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"
#include "tests/targets/truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX     16
#define CHILD_SECONDS 3

static unsigned long n_work;

static const struct attack *find(const char *name);

KEEP long work(long v)
{
	hit(&n_work);
	return v * 3 + 1;
}

KEEP long jab(long v)
{
	return v * 7 + n_work % 2;
}

KEEP long say(const char *text)
{
	return text ? 1 : 0;
}

unsigned long number_of(int argc, char **argv, int index)
{
	return index < argc ? strtoul(argv[index], NULL, 0) : 0;
}

static void *one_call(void *arg)
{
	work(1);
	jab(1);
	return arg;
}

void make_threads(unsigned long n)
{
	pthread_t t;

	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&t, NULL, one_call, NULL) == 0)
			pthread_join(t, NULL);
}

static void *many_calls(void *arg)
{
	for (long i = 0;; i++) {
		work(i);
		jab(i);
		usleep(1000);
	}
	return arg;
}

static const char *do_work(int argc, char **argv)
{
	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--)
		jab(work((long)i));
	return NULL;
}

static const char *do_say(int argc, char **argv)
{
	say(argc ? argv[0] : "");
	return NULL;
}

static const char *do_threads(int argc, char **argv)
{
	make_threads(number_of(argc, argv, 0));
	return NULL;
}

static const char *do_forks(int argc, char **argv)
{
	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--) {
		pid_t pid = fork();

		if (pid == 0)
			_exit((int)work(1));
		waitpid(pid, NULL, 0);
	}
	return NULL;
}

static const char *do_loads(int argc, char **argv)
{
	for (unsigned long i = number_of(argc, argv, 0); i > 0 && argc > 1; i--) {
		void *library = dlopen(argv[1], RTLD_NOW);

		if (!library)
			return dlerror();
		dlclose(library);
	}
	return NULL;
}

static const char *do_open(int argc, char **argv)
{
	return argc && !dlopen(argv[0], RTLD_NOW) ? dlerror() : NULL;
}

static const char *do_child(int argc, char **argv)
{
	const struct attack *a = argc ? find(argv[0]) : NULL;
	pid_t pid = a ? fork() : -1;
	int status = 0;

	if (pid == 0) {
		alarm(CHILD_SECONDS);
		work(1);
		if (a->make(argc - 1, argv + 1))
			_exit(1);
		make_threads(2);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!a)
		return "no such command";
	if (WIFSIGNALED(status))
		return "the child was killed";
	return WEXITSTATUS(status) ? "the child had nothing to attack" : NULL;
}

static const char *do_spin(int argc, char **argv)
{
	pthread_t t;

	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--)
		pthread_create(&t, NULL, many_calls, NULL);
	return NULL;
}

static const struct attack plain[] = {
	{"work", do_work},   {"say", do_say},	  {"threads", do_threads},
	{"forks", do_forks}, {"loads", do_loads}, {"spin", do_spin},
	{"open", do_open},   {"child", do_child}, {NULL, NULL},
};

static const struct attack *const all[] = {
	plain,	      block_attacks,   state_attacks,	 record_attacks,
	text_attacks, process_attacks, scribble_attacks, word_attacks};

static const struct attack *find(const char *name)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (const struct attack *a = all[i]; a->name; a++)
			if (!strcmp(a->name, name))
				return a;
	return NULL;
}

static void obey(char *line)
{
	const struct attack *a;
	char *argv[WORDS_MAX], *at = line;
	const char *lacks;
	int argc = 0;

	for (char *word; argc < WORDS_MAX && (word = strsep(&at, " \n"));)
		if (*word)
			argv[argc++] = word;
	a = argc ? find(argv[0]) : NULL;
	poked = refused = 0;
	lacks = a ? a->make(argc - 1, argv + 1) : "no such command";
	printf("%s: %s, calls %lu, written %lu, refused %lu\n", argc ? argv[0] : "",
	       lacks ? lacks : "done", n_work, poked, refused);
	fflush(stdout);
}

int main(void)
{
	char line[4096];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	return 3;
}
