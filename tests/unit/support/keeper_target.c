/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/keeper_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct shared *shared;

int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return shared == MAP_FAILED;
}

int tear_down(void **state)
{
	(void)state;
	return munmap(shared, 4096);
}

pid_t target(int (*body)(void))
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid)
		return pid;
	/* Its endless threads must not survive a test that fails. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->go)
		usleep(1000);
	_exit(body());
}

void start_under_load(void)
{
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
}

int wait_target(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

void end_target(pid_t pid)
{
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
}

void assert_goes_on(void)
{
	assert_calls(1);
}

void assert_calls(long n)
{
	long calls = shared->calls;

	for (int i = 0; i < 6000 && shared->calls - calls < n; i++)
		pause_ms(10);
	assert_true(shared->calls - calls >= n);
}

void seize(struct front *f, pid_t pid, uint32_t flags)
{
	struct keeper_msg request = {
		.type = KEEPER_REQ_SEIZE, .pid = pid, .seize.flags = flags};
	struct keeper_msg r = front_call(f, request, NULL, 0);

	/* A thread that waits for its vfork child is released a little later. */
	for (int i = 0; i < 3000 && r.status == STATUS_BUSY; i++) {
		pause_ms(10);
		r = front_call(f, request, NULL, 0);
	}
	if (r.status)
		print_error("seize: %s\n", r.text);
	assert_int_equal(r.status, 0);
}

void release(struct front *f, pid_t pid)
{
	assert_int_equal(front_request(f, KEEPER_REQ_RELEASE, pid).status, 0);
}

pid_t doomed_front(pid_t pid, struct front *(*attach)(pid_t pid), pid_t *keeper)
{
	int fds[2];
	pid_t front;

	assert_int_equal(pipe(fds), 0);
	front = fork();
	if (front == 0) {
		struct front *f;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		f = attach(pid);
		if (write(fds[1], &f->keeper, sizeof(f->keeper)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]); /* so that a front that dies ends the read */
	assert_int_equal(read(fds[0], keeper, sizeof(*keeper)), sizeof(*keeper));
	close(fds[0]);
	return front;
}

static char *read_maps(pid_t pid)
{
	char *text = calloc(1, 1 << 16), path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if ((strstr(line, "r-xp") || strstr(line, "memfd:")) &&
		    strlen(text) + sizeof(line) < 1 << 16)
			strcat(text, line);
	fclose(f);
	return text;
}

struct look *look_at(pid_t pid, const void *from)
{
	struct look *l = calloc(1, sizeof(*l));
	char path[64];
	int fd;

	l->from = from;
	l->maps = read_maps(pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, l->text, LOOK_TEXT, (off_t)(uintptr_t)from),
			 LOOK_TEXT);
	close(fd);
	return l;
}

void look_free(struct look *l)
{
	free(l->maps);
	free(l);
}

void assert_looks(pid_t pid, const struct look *before)
{
	struct look *now = look_at(pid, before->from);

	assert_memory_equal(now->text, before->text, LOOK_TEXT);
	/* On a busy machine a thread stops too late, and the memory goes with it. */
	for (int i = 0; i < 500 && strcmp(now->maps, before->maps) != 0; i++) {
		pause_ms(10);
		look_free(now);
		now = look_at(pid, before->from);
	}
	assert_string_equal(now->maps, before->maps);
	look_free(now);
}

void work_once(void)
{
	long n = ++shared->calls;

	if (work(n) != n + 1)
		shared->wrong++;
	shared->loads++;
	if (load(5) != 1005)
		shared->wrong++;
}

void *thread_body(void *arg)
{
	for (int i = 0; i < 500; i++) {
		if (work(i) != i + 1 || load(i) != i + 1000)
			shared->wrong++;
	}
	return arg;
}

void *brief_thread(void *arg)
{
	work(1);
	return arg;
}

int body_threads(void)
{
	pthread_t t[16];

	for (int i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, thread_body, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 300; i++) {
		pthread_create(&t[0], NULL, brief_thread, NULL);
		pthread_join(t[0], NULL);
	}
	return 7;
}

int wait_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int fork_often(int (*child)(void))
{
	for (int i = 0; i < 30; i++) {
		int status;
		pid_t pid;

		work_once();
		pid = fork();
		if (pid == 0)
			_exit(child());
		if (waitpid(pid, &status, 0) != pid || status != 17 << 8)
			shared->wrong++;
	}
	return 7;
}

int body_vfork(void)
{
	char *const argv[] = {"true", NULL};

	for (int i = 0; i < 20; i++) {
		pid_t pid;

		work_once();
		pid = vfork();
		if (pid == 0)
			_exit((int)work(4)); /* in shared memory: passes through */
		if (wait_status(pid) != 5 << 8)
			shared->wrong++;
		pid = vfork();
		if (pid == 0) {
			work(1);
			execve("/bin/true", argv, environ);
			_exit(99);
		}
		if (wait_status(pid) != 0)
			shared->wrong++;
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) ||
		    wait_status(pid) != 0)
			shared->wrong++;
		work_once();
	}
	return 7;
}
