/* SPDX-License-Identifier: MIT */
/*
 * Processes that give up something. Each calls work() TURNS times as often as its
 * number says, and prints "NAME CALLS". argv[1] is what is given up:
 *
 *	user	user and group become 65534 (as root only)
 *	privs	no_new_privs is set
 *	nothing	nothing is
 *
 * argv[2] says by whom:
 *
 *	child	of parent and child the child, after both called work(). It goes on when
 *		the first byte of work() is another one, as when a breakpoint takes the
 *		place of a jump; or with "nothing" at once
 *	alone	the only process, between two halves of its calls
 *	before	the process itself, as soon as it starts; argv[3] is touched then, and it
 *		begins when that file is gone
 *	parent	the parent, before both call work(); its child executes argv[3], a set-id
 *		copy of this program
 *	gained	what that copy is: it gives up nothing
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

#define TURNS	 1000
#define PATIENCE 3000 /* naps of 10 ms */

KEEP long work(long v)
{
	return v * 3 + 1;
}

static void work_times(int n)
{
	volatile long v = 1;

	while (n-- > 0)
		v = work(v);
}

static void nap(void)
{
	const struct timespec t = {0, 10000000};

	nanosleep(&t, NULL);
}

static void give_up(const char *what)
{
	int failed = 0;

	if (strcmp(what, "user") == 0)
		failed = setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
			 setresuid(65534, 65534, 65534);
	else if (strcmp(what, "privs") == 0)
		failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (failed)
		_exit(9);
}

/* By an address from memory: there is no jump over bytes that an instruction names. */
static unsigned char first_byte(void)
{
	static const void *volatile code = (const void *)work;

	return *(const volatile unsigned char *)code;
}

/* Writable mappings that it shares with others. */
static int shared_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, " rw-s ") != NULL;
	if (f)
		fclose(f);
	return n;
}

static void print(const char *name, int calls)
{
	printf("%s %d\n", name, calls);
	fflush(stdout);
}

static void child(const char *what)
{
	int shared;

	work_times(TURNS);
	shared = shared_mappings();
	if (strcmp(what, "nothing") != 0) {
		unsigned char was = first_byte();

		give_up(what);
		for (int i = 0; first_byte() == was && i < PATIENCE; i++)
			nap();
		for (int i = 0; shared_mappings() == shared && i < PATIENCE / 10; i++)
			nap();
	}
	work_times(TURNS);
	print("child", 2 * TURNS);
	print("taken", shared - shared_mappings());
	_exit(0);
}

static void family(const char *what)
{
	pid_t pid;
	int status;

	work_times(TURNS);
	pid = fork();
	if (pid == 0)
		child(what);
	waitpid(pid, &status, 0);
	work_times(TURNS);
	print("parent", 2 * TURNS);
}

static void before(const char *what, const char *file)
{
	struct stat st;
	int fd;

	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	give_up(what);
	close(fd);
	while (stat(file, &st) == 0)
		nap();
	work_times(TURNS);
	print("before", TURNS);
}

/* A child that gains privileges which its parent has not. */
static void parent(const char *what, const char *file)
{
	pid_t pid;
	int status = -1;

	give_up(what);
	work_times(TURNS);
	pid = fork();
	if (pid == 0) {
		execl(file, file, "nothing", "gained", (char *)NULL);
		_exit(8);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		_exit(7);
	work_times(TURNS);
	print("parent", 2 * TURNS);
}

static void gained(void)
{
	work_times(TURNS);
	print("shared", shared_mappings());
	work_times(TURNS);
	print("user", (int)geteuid());
	print("child", 2 * TURNS);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[2], "child") == 0) {
		family(argv[1]);
	} else if (argc > 2 && strcmp(argv[2], "alone") == 0) {
		work_times(TURNS);
		give_up(argv[1]);
		nap();
		work_times(TURNS);
		print("alone", 2 * TURNS);
	} else if (argc > 2 && strcmp(argv[2], "gained") == 0) {
		gained();
	} else if (argc > 3 && strcmp(argv[2], "parent") == 0) {
		parent(argv[1], argv[3]);
	} else if (argc > 3) {
		before(argv[1], argv[3]);
	}
	return 0;
}
