/* SPDX-License-Identifier: MIT */
/* Attacks by what a process is: its loader's list, memory that does not answer, mappings. */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The loader's own, not the copy that a program gets of a variable of a library. */
static const struct r_debug *loader(void)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG)
			return pointer_to(d->d_un.d_ptr);
	return NULL;
}

/* As the loader does when it has changed the list. */
static void events(unsigned long n)
{
	void (*notify)(void) = (void (*)(void))loader()->r_brk;

	for (unsigned long i = 0; i < n; i++)
		notify();
}

/* From version 2 on, with more link maps than one (dlmopen). */
struct debug_extended {
	struct r_debug base;
	const struct debug_extended *next;
};

#define OBJECTS 200000

/* The objects of a further link map: a circle of n. */
static struct link_map *circle_of(unsigned n, const struct link_map *like)
{
	struct link_map *made = mmap(NULL, n * sizeof(*made), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < n; i++)
		made[i] = (struct link_map){
			.l_addr = i * 4096u,
			.l_name = like->l_name,
			.l_ld = like->l_ld,
			.l_next = &made[(i + 1) % n],
		};
	return made;
}

/*
 * linkmap circle|wild|long N: the list of link maps goes on, with a map of objects that never
 * ends and is followed by itself; then N events of the loader.
 */
static const char *linkmap(int argc, char **argv)
{
	struct debug_extended *first = pointer_to((uintptr_t)loader()), good;
	static struct debug_extended more;
	const char *how = argc ? argv[0] : "circle";

	if (!first)
		return "no loader";
	good = *first;
	more = good;
	more.next = &more;
	more.base.r_version = 2;
	more.base.r_state = RT_CONSISTENT;
	more.base.r_map = circle_of(how[0] == 'l' ? OBJECTS : 1, good.base.r_map);
	if (how[0] == 'w')
		more.base.r_map->l_next = pointer_to(UINT64_C(0x8000000000000));
	first->base.r_version = 2;
	first->next = &more;
	events(number_of(argc, argv, 1));
	*first = good;
	return NULL;
}

static char *silent;

static void *say_silent(void *arg)
{
	say(silent);
	return arg;
}

/* A page that only a handler fills, and there is none. */
static char *silent_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	range.range.start = (uintptr_t)page;
	range.range.len = 4096;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		return NULL;
	return page;
}

/* silent N: N threads call say() with a text in memory that never answers. */
static const char *stall(int argc, char **argv)
{
	pthread_t t;

	silent = silent_page();
	if (!silent)
		return "no userfaultfd";
	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--)
		pthread_create(&t, NULL, say_silent, NULL);
	usleep(50000);
	return NULL;
}

static int held;

static void *wait_silently(void *arg)
{
	epoll_wait(held, arg, 1, -1);
	return arg;
}

/*
 * polled N: reads N times from an epoll instance whose lock a thread holds for ever: its
 * event goes to memory that never answers. Whoever asks /proc about it waits for the lock.
 */
static const char *poll_for_ever(int argc, char **argv)
{
	struct epoll_event event = {.events = EPOLLIN};
	void *page = silent_page();
	char byte;
	pthread_t t;

	held = epoll_create1(EPOLL_CLOEXEC);
	if (!page || held < 0 ||
	    epoll_ctl(held, EPOLL_CTL_ADD, eventfd(1, EFD_CLOEXEC), &event))
		return "no userfaultfd, or no epoll";
	pthread_create(&t, NULL, wait_silently, page);
	usleep(50000);
	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--)
		if (read(held, &byte, 1) < 0)
			poked++;
	return NULL;
}

/* map N PATH: so many mappings of the first page of a file; no two become one. */
static const char *map(int argc, char **argv)
{
	unsigned long n = number_of(argc, argv, 0);
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	char *room = mmap(NULL, n * 4096, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fd < 0 || room == MAP_FAILED)
		return "no file, or no room";
	for (unsigned long i = 0; i < n; i++)
		if (mmap(room + i * 4096, 4096, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			break;
		else
			poked++;
	close(fd);
	return NULL;
}

const struct attack process_attacks[] = {
	{"linkmap", linkmap}, {"silent", stall}, {"polled", poll_for_ever},
	{"map", map},	      {NULL, NULL},
};
