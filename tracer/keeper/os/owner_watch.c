/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/owner_watch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel reads it when the thread ends, so it must not be on a stack. */
static struct robust_list_head head;

static struct robust_list *node_of(void *block)
{
	return (struct robust_list *)(void *)((char *)block - OWNER_WATCH_ROOM);
}

void owner_watch_tie(void *block, uint64_t word)
{
	struct robust_list *node = node_of(block);
	_Atomic uint32_t *futex = (_Atomic uint32_t *)(void *)((char *)block + word);

	if (!head.list.next) {
		head.list.next = &head.list;
		head.futex_offset = (long)(OWNER_WATCH_ROOM + word);
		syscall(SYS_set_robust_list, &head, sizeof(head));
	}
	atomic_store(futex, (uint32_t)syscall(SYS_gettid));
	node->next = head.list.next;
	head.list.next = node;
}

void owner_watch_untie(void *block)
{
	struct robust_list *node = node_of(block), **link = &head.list.next;

	while (*link && *link != &head.list && *link != node)
		link = &(*link)->next;
	if (*link == node)
		*link = node->next;
}
