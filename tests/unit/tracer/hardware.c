/* SPDX-License-Identifier: MIT */
/* What the files of proc and sys say of a machine, also of an odd one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/base/hardware.h"
#include "vm/base/host/strbuf.h"

static char root[] = "/tmp/hardware-XXXXXX";

/* A file, with the folders that it is in; text NULL: a link that leads nowhere. */
static void make_file(const char *name, const char *text, const char *target)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + sizeof(root); (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	if (target) {
		assert_int_equal(symlink(target, path), 0);
		return;
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_machine(void **state)
{
	static const char *const files[][3] = {
		{"proc/sys/kernel/osrelease", "6.1.0\n"},
		{"proc/sys/kernel/version", "#1 SMP\n"},
		{"proc/sys/kernel/hostname", "box\n"},
		{"sys/class/dmi/id/sys_vendor", "  Maker Inc.  \n"},
		{"proc/cpuinfo",
		 "processor\t: 3\nvendor_id\t: AuthenticAMD\nmodel name\t: A  B: C \n"
		 "cpu MHz\t\t: 2599.998\nprocessors\t: 99\n\n"
		 "processor\t: 12\nmodel name\t:\ncpu MHz\t\t: x"},
		{"sys/devices/system/cpu/cpu3/topology/core_id", "1\n"},
		{"sys/devices/system/cpu/cpu3/topology/physical_package_id", "2\n"},
		{"sys/devices/system/cpu/cpu3/node5/x", ""},
		{"sys/devices/system/cpu/cpu3/cache/index0/size", "32K\n"},
		{"sys/devices/system/cpu/cpu3/cache/index3/size", "8M\n"},
		{"sys/devices/system/cpu/cpu12/topology/physical_package_id", "-1\n"},
		{"sys/devices/system/cpu/cpu12/cpufreq/cpuinfo_max_freq", "3200000\n"},
		{"proc/meminfo", "MemTotal:       2048 kB\nSwapTotal: 1 kB\n"},
		{"sys/block/sda/dev", "8:16\n"},
		{"sys/block/sda/size", "1000\n"},
		{"sys/block/sda/removable", "1\n"},
		{"sys/block/sda/queue/logical_block_size", "4096\n"},
		{"sys/block/sda/queue/rotational", "1\n"},
		{"sys/block/sda/device/model", "Big Disk       \n"},
		{"sys/block/sda/sda10/partition", "10\n"},
		{"sys/block/sda/sda10/dev", "8:26\n"},
		{"sys/block/sda/sda10/size", "10\n"},
		{"sys/block/sda/sda10/start", "2048\n"},
		{"sys/block/sda/sda2/partition", "2\n"},
		{"sys/block/sda/sda2/ro", "1\n"},
		{"sys/block/sda/holders/x", ""},
		{"sys/block/cciss!c0d0/size", "4\n"},
		{"sys/block/cciss!c0d0/cciss!c0d0p1/partition", "1\n"},
		{"sys/block/loop0/size", "0\n"},
		{"sys/block/sr0/size", "0\n"},
		{"sys/block/sr0/device/x", ""},
		{"sys/block/zz/size", "99999999999999999999999999\n"},
		{"sys/class/net/eth0/ifindex", "2\n"},
		{"sys/class/net/eth0/mtu", "1500\n"},
		{"sys/class/net/eth0/speed", "10000\n"},
		{"sys/class/net/eth0/address", "02:00:00:00:00:01\n"},
		{"sys/class/net/eth0/flags", "0x1003\n"},
		{"sys/class/net/eth0/type", "1\n"},
		{"sys/class/net/eth0/device/driver", NULL, "../../drivers/virtio_net"},
		{"sys/class/net/wlan/ifindex", "3\n"},
		{"sys/class/net/wlan/speed", "-1\n"},
		{"sys/class/net/wlan/flags", "0x1002\n"},
		{"sys/class/net/bonding_masters", "bond0\n"},
	};

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		make_file(files[i][0], files[i][1], files[i][2]);
	return 0;
}

static int remove_machine(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/* "kind value,text,..." */
static void show(const struct hardware_item *item, struct strbuf *out)
{
	strbuf_reset(out);
	strbuf_printf(out, "%d", (int)item->kind);
	for (int i = 0; i < HARDWARE_ARGUMENTS; i++) {
		if (item->text[i])
			assert_int_equal(item->value[i], (uintptr_t)item->text[i]);
		if (item->text[i])
			strbuf_printf(out, " '%s'", item->text[i]);
		else
			strbuf_printf(out, " %llu", (unsigned long long)item->value[i]);
	}
}

static void test_machine(void **state)
{
	static const char *const items[] = {
		"0 '6.1.0' '#1 SMP' 'x86_64' 'box' 'Maker Inc.' '' 2 0",
		"1 3 1 2 5 2599998000 8388608 'AuthenticAMD' 'A  B: C'",
		"1 12 0 0 0 3200000000 0 '' ''",
		"2 2097152 4096 1024 0 0 0 0 0",
		"3 0 2048 0 0 'cciss/c0d0' '' 0 'cciss/c0d0'",
		"3 8388624 512000 4096 3 'sda' 'Big Disk' 0 'sda'",
		"3 0 0 0 0 'sr0' '' 0 'sr0'",
		"3 0 18446744073709551104 0 0 'zz' '' 0 'zz'",
		"4 0 0 0 0 'cciss/c0d0p1' '' 0 'cciss/c0d0'",
		"4 0 0 4096 7 'sda2' '' 0 'sda'",
		"4 8388634 5120 4096 3 'sda10' '' 1048576 'sda'",
		"5 2 1500 10000000000 'eth0' 1 '02:00:00:00:00:01' 'virtio_net' 1",
		"5 3 0 0 'wlan' 0 '' '' 0",
	};
	struct hardware h = {0};
	struct strbuf text = {0};

	(void)state;
	hardware_read(root, &h);
	for (size_t i = 0; i < h.list.len && i < ARRAY_LEN(items); i++) {
		show(&h.list.data[i], &text);
		assert_string_equal(text.data, items[i]);
	}
	assert_int_equal(h.list.len, ARRAY_LEN(items));
	for (int kind = 0; kind < HARDWARE_KINDS; kind++)
		assert_true(hardware_is_told(root, (enum hardware_kind)kind));
	hardware_release(&h);
	strbuf_release(&text);
}

/* A container without /sys, and with an empty /proc. */
static void test_nothing(void **state)
{
	struct hardware h = {0};

	(void)state;
	hardware_read("/nonexistent", &h);
	assert_int_equal(h.list.len, 2);
	assert_int_equal(h.list.data[0].kind, HARDWARE_SYSTEM);
	assert_string_equal(h.list.data[0].text[0], "");
	assert_int_equal(h.list.data[1].value[0], 0);
	for (int kind = 0; kind < HARDWARE_KINDS; kind++)
		assert_false(
			hardware_is_told("/nonexistent", (enum hardware_kind)kind));
	hardware_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_machine, make_machine,
						remove_machine),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
