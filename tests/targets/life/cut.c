/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls that an interrupt cuts short, each for a while, and looks whether it
 * can tell: EINTR without a handler, a part of what it asked for, changed registers, a
 * handler's EINTR that does not come. Prints "NAME turns N"; a line "NAME: ..." for each
 * thing it noticed, and its status is 1 then.
 *
 *	cut MILLISECONDS	for each of the calls
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BIG	 (1 << 20)
#define COMPUTED 20000

static char big[BIG];
static int peer[2]; /* the side of the call, that of the other thread */
static long noticed;
static volatile sig_atomic_t alarms;

static const struct timespec moment = {0, 500000};

static void notice(const char *name, const char *what, long value)
{
	if (noticed++ < 20)
		printf("%s: %s %ld\n", name, what, value);
}

/* So that the thread is running when a period ends. */
static void compute(void)
{
	for (volatile int i = 0; i < COMPUTED; i++)
		;
}

/* A system call that checks that the registers of its arguments stay. */
static long call(const char *name, long nr, const long in[6])
{
	register long a0 __asm__("rdi") = in[0];
	register long a1 __asm__("rsi") = in[1];
	register long a2 __asm__("rdx") = in[2];
	register long a3 __asm__("r10") = in[3];
	register long a4 __asm__("r8") = in[4];
	register long a5 __asm__("r9") = in[5];
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r), "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4),
			   "+r"(a5)
			 : "0"(nr)
			 : "rcx", "r11", "memory");
	if (a0 != in[0] || a1 != in[1] || a2 != in[2] || a3 != in[3] || a4 != in[4] ||
	    a5 != in[5])
		notice(name, "registers changed by call", nr);
	return r;
}

#define CALL(name, nr, ...) call(name, nr, (const long[6]){__VA_ARGS__})

static int epoll;

static void epoll_short(const char *name)
{
	struct epoll_event e;
	long r = CALL(name, SYS_epoll_wait, epoll, (long)&e, 1, 1);

	if (r)
		notice(name, "returned", r);
}

static void epoll_mask(const char *name)
{
	struct epoll_event e;
	sigset_t none;
	long r;

	sigemptyset(&none);
	r = CALL(name, SYS_epoll_pwait, epoll, (long)&e, 1, 1, (long)&none, 8);
	if (r)
		notice(name, "returned", r);
}

static void sigtimedwait_short(const char *name)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	if (sigtimedwait(&set, NULL, &moment) != -1 || errno != EAGAIN)
		notice(name, "errno", errno);
}

static int semaphore;

static void semtimedop_short(const char *name)
{
	struct sembuf down = {0, -1, 0};

	if (semtimedop(semaphore, &down, 1, &moment) != -1 || errno != EAGAIN)
		notice(name, "errno", errno);
}

static void receive_timed(const char *name)
{
	struct timeval t = {0, 1000};
	char c;

	setsockopt(peer[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	if (recv(peer[0], &c, 1, 0) != -1 || errno != EAGAIN)
		notice(name, "errno", errno);
}

static void fill(const char *name)
{
	long r = CALL(name, SYS_getrandom, (long)big, BIG / 4, 0);

	if (r != BIG / 4)
		notice(name, "got", r);
}

static int zero;

static void zeros(const char *name)
{
	long r = CALL(name, SYS_read, zero, (long)big, BIG);

	if (r != BIG)
		notice(name, "got", r);
}

static void write_all(const char *name)
{
	long r = CALL(name, SYS_write, peer[0], (long)big, BIG / 2);

	if (r != BIG / 2)
		notice(name, "wrote", r);
}

static void send_all(const char *name)
{
	long r = CALL(name, SYS_sendto, peer[0], (long)big, BIG / 2, 0);

	if (r != BIG / 2)
		notice(name, "sent", r);
}

static void receive_all(const char *name)
{
	long r = CALL(name, SYS_recvfrom, peer[0], (long)big, BIG / 2, MSG_WAITALL);

	if (r != BIG / 2)
		notice(name, "received", r);
}

static int stored;

static void send_file(const char *name)
{
	off_t at = 0;
	long r = CALL(name, SYS_sendfile, peer[0], stored, (long)&at, BIG / 2);

	if (r != BIG / 2 || at != BIG / 2)
		notice(name, "sent", r);
}

static struct {
	int fd;
	unsigned *tail, *head, *mask, *array, *done_head, *done_tail;
	struct io_uring_sqe *entries;
} ring;

static int open_ring(void)
{
	struct io_uring_params p;
	char *queue;

	memset(&p, 0, sizeof(p));
	ring.fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (ring.fd < 0)
		return -1;
	queue = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		     IORING_OFF_SQ_RING);
	ring.entries = mmap(NULL, 4 * sizeof(*ring.entries), PROT_READ | PROT_WRITE,
			    MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (queue == MAP_FAILED || (void *)ring.entries == MAP_FAILED ||
	    !(p.features & IORING_FEAT_SINGLE_MMAP))
		return -1;
	ring.tail = (unsigned *)(queue + p.sq_off.tail);
	ring.mask = (unsigned *)(queue + p.sq_off.ring_mask);
	ring.array = (unsigned *)(queue + p.sq_off.array);
	ring.done_head = (unsigned *)(queue + p.cq_off.head);
	ring.done_tail = (unsigned *)(queue + p.cq_off.tail);
	return 0;
}

/* Submits a time-out and waits for it in one call: there must be one completion. */
static void uring(const char *name)
{
	const struct __kernel_timespec soon = {0, 1000000};
	unsigned at = *ring.tail & *ring.mask;
	long r;

	if (ring.fd < 0)
		return;
	ring.entries[at] = (struct io_uring_sqe){
		.opcode = IORING_OP_TIMEOUT, .addr = (unsigned long)&soon, .len = 1};
	ring.array[at] = at;
	__atomic_store_n(ring.tail, *ring.tail + 1, __ATOMIC_RELEASE);
	r = CALL(name, SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS);
	if (r != 1)
		notice(name, "returned", r);
	if (__atomic_load_n(ring.done_tail, __ATOMIC_ACQUIRE) - *ring.done_head != 1)
		notice(name, "completed", (long)(*ring.done_tail - *ring.done_head));
	__atomic_store_n(ring.done_head, *ring.done_tail, __ATOMIC_RELEASE);
}

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* The alarm comes in the call, or when it is about to begin: it always ends it. */
static void handled(const char *name)
{
	struct itimerval once = {{0, 0}, {0, 700}};
	struct epoll_event e;
	sigset_t none;
	int before = alarms;
	long r;

	sigemptyset(&none);
	setitimer(ITIMER_REAL, &once, NULL);
	compute();
	r = CALL(name, SYS_epoll_pwait, epoll, (long)&e, 1, 3000, (long)&none, 8);
	if (r != -EINTR)
		notice(name, "returned", r);
	if (alarms != before + 1)
		notice(name, "alarms", alarms - before);
}

/* The other side of peer: takes or gives without an end, a piece at a time. */
static void *take(void *arg)
{
	static char piece[BIG / 8];

	while (read(peer[1], piece, sizeof(piece)) > 0)
		compute();
	return arg;
}

static void *give(void *arg)
{
	static char piece[BIG / 16];

	while (write(peer[1], piece, sizeof(piece)) > 0)
		compute();
	return arg;
}

static int make_pipe(void)
{
	int fds[2];
	int result = pipe(fds);

	peer[0] = fds[1];
	peer[1] = fds[0];
	return result;
}

static int make_sockets(void)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, peer);
}

static const struct {
	const char *name;
	void (*turn)(const char *name);
	int (*make)(void);	   /* peer */
	void *(*other)(void *arg); /* thread, of peer[1] */
} cases[] = {
	{"epoll_wait", epoll_short, NULL, NULL},
	{"epoll_pwait", epoll_mask, NULL, NULL},
	{"handled", handled, NULL, NULL},
	{"sigtimedwait", sigtimedwait_short, NULL, NULL},
	{"semtimedop", semtimedop_short, NULL, NULL},
	{"io_uring", uring, NULL, NULL},
	{"receive_timed", receive_timed, make_sockets, NULL},
	{"getrandom", fill, NULL, NULL},
	{"zeros", zeros, NULL, NULL},
	{"write", write_all, make_pipe, take},
	{"send", send_all, make_sockets, take},
	{"receive", receive_all, make_sockets, give},
	{"sendfile", send_file, make_sockets, take},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void run(size_t i, double ms)
{
	double until = now() + ms;
	pthread_t other;
	long turns = 0;

	if (cases[i].make && cases[i].make())
		exit(2);
	if (cases[i].other)
		pthread_create(&other, NULL, cases[i].other, NULL);
	for (; now() < until; turns++) {
		compute();
		cases[i].turn(cases[i].name);
	}
	if (cases[i].make)
		close(peer[0]);
	if (cases[i].other)
		pthread_join(other, NULL);
	if (cases[i].make)
		close(peer[1]);
	printf("%s turns %ld\n", cases[i].name, turns);
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 200;
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGALRM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	epoll = epoll_create1(0);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	zero = open("/dev/zero", O_RDONLY);
	stored = (int)syscall(SYS_memfd_create, "stored", 0);
	if (open_ring() < 0 || epoll < 0 || semaphore < 0 || zero < 0 ||
	    write(stored, big, BIG) != BIG)
		return 2;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run(i, ms);
	semctl(semaphore, 0, IPC_RMID);
	return noticed ? 1 : 0;
}
