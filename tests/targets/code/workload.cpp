/* SPDX-License-Identifier: MIT */
/*
 * Known amounts of work, for the tools of samples/tools: the parts that are named, in that
 * order. Only the part spins looks at a clock.
 *
 *	workload PART... 	calls throws sleeps locks leaks files fails signals children
 *				sockets spins grows
 */
#include "../truth.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdexcept>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern "C" {

/* ---- calls: price() 1,000 times, 600 of them from buy() ---- */

KEEP int price(int item)
{
	return item * 3;
}

KEEP int buy(int item)
{
	return price(item) + 1;
}

KEEP int sell(int item)
{
	return price(item) - 1;
}

/* ---- throws: risky() 10 times, 6 of them leave by an exception ---- */

KEEP int risky(int i)
{
	if (i % 5 > 1)
		throw std::runtime_error("no");
	return price(i);
}

KEEP int careful(int i)
{
	try {
		return risky(i);
	} catch (const std::runtime_error &) {
		return -1;
	}
}

/* ---- sleeps: nap() 3 times 30 ms, blink() 4 times no time ---- */

KEEP int nap(int milliseconds)
{
	usleep((useconds_t)milliseconds * 1000);
	return milliseconds + 7;
}

KEEP int blink(int i)
{
	return i + 1;
}

/*
 * ---- locks: till is taken 25 times, 5 times while another thread holds it, which sleeps
 * 2 ms at least until it gets it ----
 */

pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
pid_t customer_tid;

KEEP void pay()
{
	pthread_mutex_lock(&till);
	pthread_mutex_unlock(&till);
}

static void *customer(void *)
{
	__atomic_store_n(&customer_tid, gettid(), __ATOMIC_RELEASE);
	pay();
	return NULL;
}

/* Whether the customer waits for the till, and its thread sleeps: so in futex(2). */
static bool customer_waits()
{
	char path[64], state = 0;
	FILE *f;

	if (__atomic_load_n(&till.__data.__lock, __ATOMIC_ACQUIRE) != 2)
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
		 __atomic_load_n(&customer_tid, __ATOMIC_ACQUIRE));
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		abort();
	fclose(f);
	return state == 'S';
}

/* Lets go of the till only when another thread has slept for it. */
KEEP void serve_customer()
{
	pthread_t thread;

	pthread_mutex_lock(&till);
	pthread_create(&thread, NULL, customer, NULL);
	while (!customer_waits())
		sched_yield();
	poll(NULL, 0, 2);
	pthread_mutex_unlock(&till);
	pthread_join(thread, NULL);
}

/* ---- leaks: lose() 3 times 1,000 bytes, lose_aligned() 3 times 5,000; 100 times 64 come
 * back ---- */

void *volatile sink;

KEEP void *lose()
{
	return malloc(1000);
}

KEEP void *lose_aligned()
{
	void *p = NULL;

	return posix_memalign(&p, 64, 5000) ? NULL : p;
}

KEEP void churn()
{
	sink = malloc(64);
	free(sink);
}

/* ---- grows: 2 mappings of 4 MiB, one of them is removed ---- */

KEEP void *expand()
{
	return mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

/* ---- fails: 4 times ENOENT ---- */

KEEP void miss()
{
	if (open("/nonexistent/workload", O_RDONLY) >= 0)
		abort();
}

/* ---- spins: 0.4 s of processor time, nearly all in spin() ---- */

volatile unsigned long spun;

KEEP void spin()
{
	struct timespec used = {};

	while (used.tv_sec == 0 && used.tv_nsec < 400000000) {
		for (unsigned long i = 0; i < 3000000; i++)
			spun = i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	}
}
}

static void calls()
{
	for (int i = 0; i < 600; i++)
		buy(i);
	for (int i = 0; i < 400; i++)
		sell(i);
}

static void throws()
{
	for (int i = 0; i < 10; i++)
		careful(i);
}

static void sleeps()
{
	for (int i = 0; i < 3; i++)
		nap(30);
	for (int i = 0; i < 4; i++)
		blink(i);
}

static void locks()
{
	for (int i = 0; i < 15; i++)
		pay();
	for (int i = 0; i < 5; i++)
		serve_customer();
}

static void leaks()
{
	for (int i = 0; i < 100; i++)
		churn();
	for (int i = 0; i < 3; i++)
		sink = lose(), sink = lose_aligned();
}

static void grows()
{
	void *first = expand();

	sink = expand();
	munmap(first, 4 << 20);
}

/* 7 times opened, 10 times 100 bytes written, 5 times 200 bytes read */
static void files()
{
	char name[] = "/tmp/workload-XXXXXX", bytes[200] = "";
	int fd = mkstemp(name);

	for (int i = 0; i < 10; i++)
		if (write(fd, bytes, 100) != 100)
			abort();
	for (int i = 0; i < 5; i++)
		if (pread(fd, bytes, 200, 0) != 200)
			abort();
	for (int i = 0; i < 7; i++)
		close(open(name, O_RDONLY));
	close(fd);
	unlink(name);
}

static void fails()
{
	for (int i = 0; i < 4; i++)
		miss();
}

static void on_signal(int)
{
}

/* SIGUSR1 twice, handled; SIGUSR2 once, ignored */
static void signals()
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
}

/* One executes true, one fails to execute and ends with 3, one is killed. */
static void children()
{
	static char path[] = "/bin/true", word[] = "word";
	char *argv[] = {path, word, NULL};

	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0 && i == 0)
			execv(path, argv);
		if (pid == 0 && i == 1)
			execl("/nonexistent/program", "program", NULL);
		if (pid == 0 && i == 2)
			kill(getpid(), SIGKILL);
		if (pid == 0)
			_exit(3);
		waitpid(pid, NULL, 0);
	}
}

/* Connects to itself by IPv4; to a Unix socket that does not exist. */
static void sockets()
{
	struct sockaddr_in in = {};
	struct sockaddr_un {
		sa_family_t family;
		char path[32];
	} un = {AF_UNIX, "/nonexistent/socket"};
	socklen_t size = sizeof(in);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	int local = socket(AF_UNIX, SOCK_STREAM, 0);

	in.sin_family = AF_INET;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (struct sockaddr *)&in, sizeof(in)) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&in, &size) ||
	    connect(client, (struct sockaddr *)&in, sizeof(in)) ||
	    accept(server, (struct sockaddr *)&in, &size) < 0 ||
	    !connect(local, (struct sockaddr *)&un, sizeof(un)))
		abort();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} parts[] = {
		{"calls", calls},     {"throws", throws},   {"sleeps", sleeps},
		{"locks", locks},     {"leaks", leaks},	    {"files", files},
		{"fails", fails},     {"signals", signals}, {"children", children},
		{"sockets", sockets}, {"spins", spin},	    {"grows", grows},
	};

	for (int i = 1; i < argc; i++)
		for (const auto &part : parts)
			if (strcmp(argv[i], part.name) == 0)
				part.run();
	return 0;
}
