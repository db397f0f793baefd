/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/owner_watch.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel reads it when the thread ends, so it must not be on a stack. */
static struct robust_list_head head;

/* Nodes are at multiples of 4, as the words are: next is not where C wants a pointer. */
static void *node_of(_Atomic uint32_t *word)
{
	return (char *)word - OWNER_WATCH_ROOM;
}

static void *node_next(const void *node)
{
	void *next;

	memcpy(&next, node, sizeof(next));
	return next;
}

static void node_set_next(void *node, void *next)
{
	memcpy(node, &next, sizeof(next));
}

void owner_watch_tie(_Atomic uint32_t *word)
{
	if (!head.list.next) {
		head.list.next = &head.list;
		head.futex_offset = OWNER_WATCH_ROOM;
		syscall(SYS_set_robust_list, &head, sizeof(head));
	}
	atomic_store(word, (uint32_t)syscall(SYS_gettid));
	node_set_next(node_of(word), head.list.next);
	head.list.next = node_of(word);
}

void owner_watch_untie(_Atomic uint32_t *word)
{
	void *node = node_of(word), *before = &head.list, *next;

	for (next = node_next(before); next && next != &head.list && next != node;
	     next = node_next(before))
		before = next;
	if (next == node)
		node_set_next(before, node_next(node));
}
