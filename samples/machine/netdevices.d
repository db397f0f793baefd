/* SPDX-License-Identifier: MIT */
/* How many packets pass the network devices?
 *
 *	dtrace -s netdevices [SECONDS]
 *
 * Prints the packets of IP and their bytes, with the header, by device, version of IP and
 * direction. Of the whole machine, for root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

ip:::
{
	@packets[args[3]->if_name, args[2]->ip_ver, probename] = count();
	@bytes[args[3]->if_name, args[2]->ip_ver, probename] =
	    sum(args[2]->ip_plength + (args[2]->ip_ver == 4 ? 20 : 40));
}

END
{
	printf("%-16s %2s %-8s %10s %14s\n", "DEVICE", "IP", "WAY", "PACKETS", "BYTES");
	printa("%-16s %2d %-8s %@10d %@14d\n", @packets, @bytes);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
