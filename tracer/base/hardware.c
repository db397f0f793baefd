/* SPDX-License-Identifier: MIT */
/* Files of sysfs and procfs: Documentation/ABI of the kernel, proc(5). */
#include "tracer/base/hardware.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_MAX   256
#define FILE_MAX   (UINT64_C(64) << 20) /* of /proc/cpuinfo: 8192 long paragraphs */
#define SECTOR	   512			/* bytes, of the numbers in /sys/block */
#define NAMES_MAX  65536		/* of a folder */
#define KHZ	   UINT64_C(1000)
#define MHZ	   UINT64_C(1000000)
#define CACHES_MAX 16

/* ---- items ---- */

void hardware_release(struct hardware *h)
{
	for (size_t i = 0; i < h->list.len; i++)
		for (int k = 0; k < HARDWARE_ARGUMENTS; k++)
			free(h->list.data[i].text[k]);
	vec_release(&h->list);
}

struct hardware_item *hardware_add(struct hardware *h, enum hardware_kind kind)
{
	struct hardware_item *item = vec_push(&h->list);

	*item = (struct hardware_item){.kind = kind};
	return item;
}

void hardware_set_text(struct hardware_item *item, unsigned argument, const char *text,
		       size_t n)
{
	char *copy;

	while (n > 0 && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	n = strnlen(text, n);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	copy = oom_calloc(1, n + 1);
	memcpy(copy, text, n);
	free(item->text[argument]);
	item->text[argument] = copy;
	item->value[argument] = (uintptr_t)copy;
}

/* ---- files ---- */

static void path_of(char path[PATH_MAX], const char *folder, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		*path = '\0'; /* there is no such file */
}

/* A short one; what cannot be read is empty. */
static void read_text(const char *folder, const char *name, char text[TEXT_MAX])
{
	char path[PATH_MAX];
	ssize_t n = -1;
	int fd;

	path_of(path, folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		n = read(fd, text, TEXT_MAX - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

/* What is no number, or less than 0, is 0. */
static uint64_t read_number(const char *folder, const char *name, int base)
{
	char text[TEXT_MAX];

	read_text(folder, name, text);
	return isdigit((unsigned char)*text) ? strtoull(text, NULL, base) : 0;
}

static void take_text(struct hardware_item *item, unsigned argument, const char *folder,
		      const char *name)
{
	char text[TEXT_MAX];

	read_text(folder, name, text);
	hardware_set_text(item, argument, text, strlen(text));
}

static void read_all(const char *folder, const char *name, struct strbuf *out)
{
	char path[PATH_MAX], bytes[16384];
	ssize_t n;
	int fd;

	strbuf_puts(out, "");
	path_of(path, folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (out->len < FILE_MAX && (n = read(fd, bytes, sizeof(bytes))) > 0)
		strbuf_add(out, bytes, (size_t)n);
	close(fd);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* vda2 before vda10. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Calls found() for each name in the folder, in order. */
static void each_name(struct hardware *h, const char *folder,
		      void (*found)(struct hardware *h, const char *folder,
				    const char *name))
{
	struct dirent **names;
	int n = scandir(folder, &names, is_shown, by_number);

	for (int i = 0; i < n; i++) {
		if (i < NAMES_MAX)
			found(h, folder, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* ---- the system ---- */

static void read_system(struct hardware *h, const char *root)
{
	struct hardware_item *item = hardware_add(h, HARDWARE_SYSTEM);
	struct utsname self = {0};
	char kernel[PATH_MAX], board[PATH_MAX];

	path_of(kernel, root, "proc/sys/kernel");
	path_of(board, root, "sys/class/dmi/id");
	uname(&self);
	take_text(item, 0, kernel, "osrelease");
	take_text(item, 1, kernel, "version");
	hardware_set_text(item, 2, self.machine, sizeof(self.machine));
	take_text(item, 3, kernel, "hostname");
	take_text(item, 4, board, "sys_vendor");
	take_text(item, 5, board, "product_name");
}

/* ---- processors ---- */

/* The value of "key<blanks>: value"; NULL: the line has another key. */
static const char *value_of(const char *line, size_t n, const char *key)
{
	const char *colon = memchr(line, ':', n);
	size_t length = strlen(key), end = colon ? (size_t)(colon - line) : 0;

	while (end > 0 && isspace((unsigned char)line[end - 1]))
		end--;
	return end == length && memcmp(line, key, length) == 0 ? colon + 1 : NULL;
}

/* "491520K" */
static uint64_t cache_bytes(const char *folder, unsigned index)
{
	char name[64], text[TEXT_MAX], *unit;
	uint64_t n;

	snprintf(name, sizeof(name), "cache/index%u/size", index);
	read_text(folder, name, text);
	n = isdigit((unsigned char)*text) ? strtoull(text, &unit, 10) : 0;
	return n && *unit == 'K' ? n << 10 : n && *unit == 'M' ? n << 20 : n;
}

static uint64_t largest_cache(const char *folder)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < CACHES_MAX; i++)
		most = max_u64(most, cache_bytes(folder, i));
	return most;
}

/* The node of memory that the processor is at. */
static uint64_t node_of(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t node = 0;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "node", 4) == 0 &&
		    isdigit((unsigned char)entry->d_name[4]))
			node = strtoull(entry->d_name + 4, NULL, 10);
	if (dir)
		closedir(dir);
	return node;
}

/* What /sys says of a processor; /proc/cpuinfo has its present frequency. */
static void place_processor(struct hardware_item *item, const char *root)
{
	char folder[PATH_MAX], name[64];
	uint64_t most;

	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%llu",
		 (unsigned long long)item->value[0]);
	path_of(folder, root, name);
	item->value[1] = read_number(folder, "topology/core_id", 10);
	item->value[2] = read_number(folder, "topology/physical_package_id", 10);
	item->value[3] = node_of(folder);
	item->value[5] = largest_cache(folder);
	most = read_number(folder, "cpufreq/cpuinfo_max_freq", 10);
	if (most)
		item->value[4] = most * KHZ;
}

/* A line of /proc/cpuinfo: each processor begins with its number. */
static struct hardware_item *take_line(struct hardware *h, struct hardware_item *item,
				       const char *line, size_t n)
{
	const char *value;

	if ((value = value_of(line, n, "processor"))) {
		item = hardware_add(h, HARDWARE_PROCESSOR);
		item->value[0] = strtoull(value, NULL, 10);
		hardware_set_text(item, 6, "", 0);
		hardware_set_text(item, 7, "", 0);
	}
	if (!item)
		return NULL;
	if ((value = value_of(line, n, "vendor_id")))
		hardware_set_text(item, 6, value, (size_t)(line + n - value));
	if ((value = value_of(line, n, "model name")))
		hardware_set_text(item, 7, value, (size_t)(line + n - value));
	if ((value = value_of(line, n, "cpu MHz")))
		item->value[4] = (uint64_t)(strtod(value, NULL) * (double)MHZ);
	return item;
}

static uint64_t read_processors(struct hardware *h, const char *root)
{
	struct strbuf text = {0};
	struct hardware_item *item = NULL;
	size_t first = h->list.len;

	read_all(root, "proc/cpuinfo", &text);
	for (const char *line = text.data, *end; *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		item = take_line(h, item, line, (size_t)(end - line));
	}
	strbuf_release(&text);
	for (size_t i = first; i < h->list.len; i++)
		place_processor(&h->list.data[i], root);
	return h->list.len - first;
}

/* ---- memory ---- */

static uint64_t memory_bytes(const char *text, const char *key)
{
	const char *value;

	for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		value = value_of(line, (size_t)(end - line), key);
		if (value)
			return strtoull(value, NULL, 10) * 1024;
	}
	return 0;
}

static void read_memory(struct hardware *h, const char *root)
{
	struct hardware_item *item = hardware_add(h, HARDWARE_MEMORY);
	struct strbuf text = {0};

	read_all(root, "proc/meminfo", &text);
	item->value[0] = memory_bytes(text.data, "MemTotal");
	item->value[1] = (uint64_t)sysconf(_SC_PAGESIZE);
	item->value[2] = memory_bytes(text.data, "SwapTotal");
	strbuf_release(&text);
}

/* ---- disks ---- */

/* "254:0", as the kernel's events have it: MKDEV() of include/linux/kdev_t.h. */
static uint64_t device_number(const char *folder)
{
	char text[TEXT_MAX];
	unsigned major = 0, minor = 0;

	read_text(folder, "dev", text);
	if (sscanf(text, "%u:%u", &major, &minor) != 2)
		return 0;
	return (uint64_t)major << 20 | minor;
}

/* The folder's name for /dev/cciss/c0d0 is cciss!c0d0. */
static void set_name(struct hardware_item *item, unsigned argument, const char *name)
{
	hardware_set_text(item, argument, name, strlen(name));
	for (char *p = item->text[argument]; *p; p++)
		if (*p == '!')
			*p = '/';
}

static struct hardware_item *add_disk(struct hardware *h, enum hardware_kind kind,
				      const char *folder, const char *name,
				      const char *disk)
{
	struct hardware_item *item = hardware_add(h, kind);

	item->value[0] = device_number(folder);
	item->value[1] = read_number(folder, "size", 10) * SECTOR;
	item->value[3] = read_number(folder, "ro", 10) ? HARDWARE_READ_ONLY : 0;
	set_name(item, 4, name);
	hardware_set_text(item, 5, "", 0);
	item->value[6] = read_number(folder, "start", 10) * SECTOR;
	set_name(item, 7, disk);
	return item;
}

/* One without a device, such as loop0, is a disk as soon as it has bytes. */
static void found_disk(struct hardware *h, const char *folder, const char *name)
{
	char path[PATH_MAX], device[PATH_MAX];
	struct hardware_item *item;

	path_of(path, folder, name);
	path_of(device, path, "device");
	if (!read_number(path, "size", 10) && access(device, F_OK))
		return;
	item = add_disk(h, HARDWARE_DISK, path, name, name);
	item->value[2] = read_number(path, "queue/logical_block_size", 10);
	if (read_number(path, "queue/rotational", 10))
		item->value[3] |= HARDWARE_ROTATES;
	if (read_number(path, "removable", 10))
		item->value[3] |= HARDWARE_REMOVABLE;
	take_text(item, 5, device, "model");
}

static void found_part(struct hardware *h, const char *folder, const char *name)
{
	char path[PATH_MAX];

	path_of(path, folder, name);
	if (read_number(path, "partition", 10))
		add_disk(h, HARDWARE_PARTITION, path, name, strrchr(folder, '/') + 1);
}

/* The parts of the disks that are items from first on. */
static void read_parts(struct hardware *h, const char *blocks, size_t first)
{
	size_t end = h->list.len;

	for (size_t i = first; i < end; i++) {
		/* a disk and its parts have the same sector and kind of medium */
		const struct hardware_item disk = h->list.data[i];
		char path[PATH_MAX], name[TEXT_MAX];
		size_t part = h->list.len;

		snprintf(name, sizeof(name), "%s", disk.text[4]);
		for (char *p = name; *p; p++)
			if (*p == '/')
				*p = '!';
		path_of(path, blocks, name);
		each_name(h, path, found_part);
		for (; part < h->list.len; part++) {
			h->list.data[part].value[2] = disk.value[2];
			h->list.data[part].value[3] |=
				disk.value[3] & ~(uint64_t)HARDWARE_READ_ONLY;
		}
	}
}

static void read_disks(struct hardware *h, const char *root)
{
	char blocks[PATH_MAX];
	size_t first = h->list.len;

	path_of(blocks, root, "sys/block");
	each_name(h, blocks, found_disk);
	read_parts(h, blocks, first);
}

/* ---- interfaces ---- */

static void take_driver(struct hardware_item *item, const char *folder)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	path_of(path, folder, "device/driver");
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	slash = strrchr(target, '/');
	hardware_set_text(item, 6, slash ? slash + 1 : "", TEXT_MAX);
}

static void found_interface(struct hardware *h, const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct hardware_item *item;
	uint64_t number;

	path_of(path, folder, name);
	number = read_number(path, "ifindex", 10);
	if (!number)
		return; /* a file of the folder, such as bonding_masters */
	item = hardware_add(h, HARDWARE_NETWORK);
	item->value[0] = number;
	item->value[1] = read_number(path, "mtu", 10);
	item->value[2] = read_number(path, "speed", 10) * MHZ;
	hardware_set_text(item, 3, name, strlen(name));
	item->value[4] = (read_number(path, "flags", 16) & IFF_UP) != 0;
	take_text(item, 5, path, "address");
	take_driver(item, path);
	item->value[7] = read_number(path, "type", 10);
}

static void read_network(struct hardware *h, const char *root)
{
	char folder[PATH_MAX];

	path_of(folder, root, "sys/class/net");
	each_name(h, folder, found_interface);
}

/* ---- all ---- */

bool hardware_is_told(const char *root, enum hardware_kind kind)
{
	static const char *const files[HARDWARE_KINDS] = {
		[HARDWARE_SYSTEM] = "proc/sys/kernel/osrelease",
		[HARDWARE_PROCESSOR] = "proc/cpuinfo",
		[HARDWARE_MEMORY] = "proc/meminfo",
		[HARDWARE_DISK] = "sys/block",
		[HARDWARE_PARTITION] = "sys/block",
		[HARDWARE_NETWORK] = "sys/class/net",
	};
	char path[PATH_MAX];

	path_of(path, root, files[kind]);
	return access(path, R_OK) == 0;
}

void hardware_read(const char *root, struct hardware *h)
{
	size_t system = h->list.len;
	uint64_t n;

	read_system(h, root);
	n = read_processors(h, root);
	h->list.data[system].value[6] = n;
	read_memory(h, root);
	read_disks(h, root);
	read_network(h, root);
}
