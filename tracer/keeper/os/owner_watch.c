/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/owner_watch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel reads it when the thread ends, so it must not be on a stack. */
static struct robust_list_head head;

static struct robust_list *node_of(_Atomic uint32_t *word)
{
	return (struct robust_list *)(void *)((char *)word - OWNER_WATCH_ROOM);
}

void owner_watch_tie(_Atomic uint32_t *word)
{
	struct robust_list *node = node_of(word);

	if (!head.list.next) {
		head.list.next = &head.list;
		head.futex_offset = OWNER_WATCH_ROOM;
		syscall(SYS_set_robust_list, &head, sizeof(head));
	}
	atomic_store(word, (uint32_t)syscall(SYS_gettid));
	node->next = head.list.next;
	head.list.next = node;
}

void owner_watch_untie(_Atomic uint32_t *word)
{
	struct robust_list *node = node_of(word), **link = &head.list.next;

	while (*link && *link != &head.list && *link != node)
		link = &(*link)->next;
	if (*link == node)
		*link = node->next;
}
