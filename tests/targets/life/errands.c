/* SPDX-License-Identifier: MIT */
/*
 * Runs the errands that its arguments name and notes how often it did what, in the file
 * that TRUTH in the environment names: a row for each number, written by a store into
 * mapped memory. So the notes add no system call to what is counted, and those of
 * children and of programs that they execute (this one again) are in the same rows.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

/* clang-format off */
#define NUMBERS(X) \
	X(reads) X(read_bytes) X(short_reads) X(writes) X(write_bytes) \
	X(large_writes) X(seeks) X(opens) X(null_opens) X(absent_opens) \
	X(bad_closes) X(bad_reads) X(bad_mkdirs) X(bad_chdirs) X(own_signals) \
	X(raised) X(child_signals) X(child_kills) X(handled) X(children) X(exits) \
	X(execs) X(killed) X(crashed) X(threads) X(leaves) X(most_leaves) \
	X(leaf_sum) X(middles) X(factorials) X(handles) X(handle_sum) X(alice) \
	X(bob) X(named) X(named_bytes) X(naps) X(nap_ms) X(mallocs) \
	X(malloc_bytes) X(callocs) X(calloc_bytes) X(frees) X(freed_bytes) \
	X(connects) X(sent) X(received) X(steps) X(busy_ms) X(pid) X(child)
/* clang-format on */

enum number {
#define NUMBER(name) N_##name,
	NUMBERS(NUMBER)
#undef NUMBER
		N_COUNT,
};

static const char *const names[] = {
#define NAME(name) #name,
	NUMBERS(NAME)
#undef NAME
};

struct row {
	char name[24];
	unsigned long n;
};

static struct row unnoted[N_COUNT], *rows = unnoted;

#define ADD(name, by) __atomic_fetch_add(&rows[N_##name].n, (by), __ATOMIC_RELAXED)

static void map_notes(void)
{
	const char *path = getenv("TRUTH");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	void *at;

	if (fd < 0)
		return;
	if (ftruncate(fd, sizeof(unnoted)))
		abort();
	at = mmap(NULL, sizeof(unnoted), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		abort();
	close(fd);
	rows = at;
	for (int i = 0; i < N_COUNT; i++)
		strcpy(rows[i].name, names[i]);
}

/* ---- functions ---- */

KEEP int leaf(int n)
{
	ADD(leaves, 1);
	ADD(leaf_sum, (unsigned long)n);
	return n * 2;
}

KEEP int middle(int n)
{
	int sum = 0;

	ADD(middles, 1);
	for (int i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

KEEP int factorial(int n)
{
	int result = 1;

	ADD(factorials, 1);
	if (n > 1)
		result = n * factorial(n - 1);
	__asm__ volatile("" : "+r"(result)); /* a call, not a loop */
	return result;
}

struct request {
	int id;
	char who[16];
	long size;
	struct request *next;
};

KEEP long handle(const struct request *r)
{
	long result = r->id * 100 + r->size;

	ADD(handles, 1);
	ADD(handle_sum, (unsigned long)result);
	return result;
}

KEEP int named(const char *text)
{
	int n = (int)strlen(text);

	ADD(named, 1);
	ADD(named_bytes, (unsigned long)n);
	return n;
}

KEEP void nap(int ms)
{
	struct timespec time = {0, ms * 1000000L};

	ADD(naps, 1);
	ADD(nap_ms, (unsigned long)ms);
	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static long ran_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* Works about so many ms, without a system call. The result is how many us it ran. */
KEEP int busy(int ms)
{
	long begin = ran_ns();

	ADD(busy_ms, (unsigned long)ms);
	for (volatile long i = 0; i < ms * 600000L; i++)
		;
	return (int)((ran_ns() - begin) / 1000);
}

/* ---- errands ---- */

static void put(int fd, const char *from, size_t n)
{
	if (write(fd, from, n) == (ssize_t)n) {
		ADD(writes, 1);
		ADD(write_bytes, n);
		ADD(large_writes, n >= 4096);
	}
}

static void get(int fd, char *to, size_t n)
{
	ssize_t got = read(fd, to, n);

	if (got >= 0) {
		ADD(reads, 1);
		ADD(read_bytes, (unsigned long)got);
		ADD(short_reads, (size_t)got < n);
	}
}

static void run_io(void)
{
	static char bytes[8192];
	int fd = open("notes.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);

	memset(bytes, 'n', sizeof(bytes));
	for (int i = 0; i < 10; i++)
		put(fd, bytes, 100);
	for (int i = 0; i < 5; i++)
		put(fd, bytes, 4096);
	lseek(fd, 0, SEEK_SET);
	ADD(seeks, 1);
	for (int i = 0; i < 22; i++)
		get(fd, bytes, 1000);
	close(fd);
}

static void run_errors(void)
{
	char byte;

	for (int i = 0; i < 3; i++)
		if (open("absent/file", O_RDONLY) < 0)
			ADD(absent_opens, 1);
	for (int i = 0; i < 4; i++)
		if (close(777) < 0)
			ADD(bad_closes, 1);
	for (int i = 0; i < 2; i++)
		if (read(-1, &byte, 1) < 0)
			ADD(bad_reads, 1);
	if (mkdir("/", 0700) < 0)
		ADD(bad_mkdirs, 1);
	if (chdir("/etc/passwd") < 0)
		ADD(bad_chdirs, 1);
}

static void run_opens(void)
{
	for (int i = 0; i < 2; i++) {
		close(open("/etc/passwd", O_RDONLY));
		ADD(opens, 1);
	}
	for (int i = 0; i < 3; i++) {
		close(open("/dev/null", O_WRONLY | O_APPEND));
		ADD(opens, 1);
		ADD(null_opens, 1);
	}
	if (open("absent.txt", O_WRONLY) < 0)
		ADD(absent_opens, 1);
}

static void on_signal(int sig)
{
	(void)sig;
	ADD(handled, 1);
}

/* Each signal is handled before the next is sent: none is merged with another. */
static void send_one(pid_t to, int sig)
{
	unsigned long before = __atomic_load_n(&rows[N_handled].n, __ATOMIC_RELAXED);

	kill(to, sig);
	while (__atomic_load_n(&rows[N_handled].n, __ATOMIC_RELAXED) == before)
		usleep(1000);
}

static void run_signals(void)
{
	int status;
	pid_t child;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	ADD(child, (unsigned long)child);
	for (int i = 0; i < 3; i++)
		send_one(getpid(), SIGUSR1);
	ADD(own_signals, 3);
	for (int i = 0; i < 2; i++)
		raise(SIGUSR2);
	ADD(raised, 2);
	for (int i = 0; i < 4; i++)
		send_one(child, SIGUSR2);
	ADD(child_signals, 4);
	kill(child, SIGTERM);
	ADD(child_kills, 1);
	waitpid(child, &status, 0);
	ADD(killed, WIFSIGNALED(status));
}

/* Two children exit, one executes this program, one a shell. */
static void run_family(void)
{
	const char *self = getenv("WORK");

	for (int i = 0; i < 4; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			if (i < 2)
				_exit(i);
			if (i == 2)
				execl(self ? self : "/proc/self/exe", "errands",
				      "calls", "naps", (char *)0);
			execl("/bin/sh", "sh", "-c", "exit 7", (char *)0);
			_exit(127);
		}
		ADD(children, 1);
		ADD(execs, i >= 2);
		waitpid(child, &status, 0);
		ADD(exits, WIFEXITED(status));
	}
}

static void *thread(void *n)
{
	for (long i = 0; i < (long)n; i++)
		leaf(1);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, (void *)((i + 1) * 10));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ADD(threads, 4);
	ADD(most_leaves, 40);
}

static void *busy_thread(void *ms)
{
	busy((int)(long)ms);
	return NULL;
}

static void run_busy(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, busy_thread, (void *)90L);
	pthread_create(&threads[1], NULL, busy_thread, (void *)30L);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void run_calls(void)
{
	middle(5);
	middle(7);
	factorial(6);
}

static void run_requests(void)
{
	struct request a = {1, "alice", 10, NULL}, b = {2, "bob", 20, &a};

	for (int i = 0; i < 5; i++) {
		handle(&a);
		handle(&b);
		ADD(alice, 10);
		ADD(bob, 20);
	}
}

static void run_names(void)
{
	char one[] = "one", two[] = "two", none[] = "";

	named(one);
	named(two);
	named(strcpy(one, "one"));
	named(none);
}

static void run_naps(void)
{
	for (int i = 0; i < 3; i++)
		nap(25);
}

static void run_steps(void)
{
	for (int i = 0; i < 30; i++) {
		nap(5);
		leaf(i);
		ADD(steps, 1);
	}
}

static void run_heap(void)
{
	static void *blocks[100];

	for (size_t i = 0; i < 100; i++) {
		blocks[i] = i < 80 ? malloc(i < 50 ? 32 : 1000) : calloc(10, 100);
		if (i < 80) {
			ADD(mallocs, 1);
			ADD(malloc_bytes, i < 50 ? 32 : 1000);
		} else {
			ADD(callocs, 1);
			ADD(calloc_bytes, 1000);
		}
	}
	for (size_t i = 0; i < 90; i++) {
		free(blocks[i]);
		ADD(frees, 1);
		ADD(freed_bytes, i < 50 ? 32 : 1000);
	}
}

static void run_net(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof(at);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	char text[9];

	if (bind(server, (void *)&at, n) || listen(server, 5) ||
	    getsockname(server, (void *)&at, &n))
		abort();
	for (int i = 0; i < 3; i++) {
		int c = socket(AF_INET, SOCK_STREAM, 0), peer;

		ADD(connects, connect(c, (void *)&at, n) == 0);
		peer = accept(server, NULL, NULL);
		ADD(sent, (unsigned long)sendto(c, "hello", 5, 0, NULL, 0));
		ADD(received, (unsigned long)recv(peer, text, sizeof(text), 0));
		close(peer);
		close(c);
	}
}

static void run_crash(void)
{
	int status;
	volatile uintptr_t nowhere = 16;
	pid_t child = fork();

	if (child == 0)
		*(volatile int *)nowhere = 1;
	waitpid(child, &status, 0);
	ADD(crashed, WIFSIGNALED(status));
}

/* Waits until the test writes a byte. */
static void run_hold(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		exit(1);
}

static const struct errand {
	const char *name;
	void (*run)(void);
} errands[] = {
	{"io", run_io},		  {"errors", run_errors},
	{"opens", run_opens},	  {"names", run_names},
	{"signals", run_signals}, {"family", run_family},
	{"threads", run_threads}, {"busy", run_busy},
	{"calls", run_calls},	  {"requests", run_requests},
	{"naps", run_naps},	  {"steps", run_steps},
	{"heap", run_heap},	  {"net", run_net},
	{"crash", run_crash},	  {"hold", run_hold},
};

int main(int argc, char **argv)
{
	map_notes();
	rows[N_pid].n = (unsigned long)getpid();
	for (int i = 1; i < argc; i++) {
		size_t k = 0, n = sizeof(errands) / sizeof(*errands);

		while (k < n && strcmp(errands[k].name, argv[i]) != 0)
			k++;
		if (k == n)
			return 2;
		errands[k].run();
	}
	return 0;
}
