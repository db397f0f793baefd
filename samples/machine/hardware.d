/* SPDX-License-Identifier: MIT */
/* What is this machine?
 *
 *	dtrace -s hardware
 *
 * Prints the kernel, the processors, the memory, the disks with their parts, and the network
 * interfaces; what it does not know is left out, or 0. For any user.
 */
#pragma D option quiet
#pragma D option defaultargs=0

hwconfig:::system
{
	printf("system     %s: Linux %s %s %s\n", args[0]->hs_nodename, args[0]->hs_release,
	    args[0]->hs_vendor, args[0]->hs_product);
}

hwconfig:::processor
{
	printf("processor  %-8d chip %d, core %d, %d MHz, cache %d KB, %s\n",
	    args[0]->cpu_id, args[0]->cpu_chip, args[1]->hp_core,
	    args[1]->hp_clock / 1000000, args[1]->hp_cache / 1024, args[1]->hp_model);
}

hwconfig:::memory
{
	printf("memory     %d MB, swap %d MB\n", args[0]->hm_size / 1048576,
	    args[0]->hm_swap / 1048576);
}

hwconfig:::disk
{
	printf("disk       %-8s %d MB, sectors of %d%s%s%s %s\n", args[0]->dev_name,
	    args[1]->hd_size / 1048576, args[1]->hd_sector,
	    args[1]->hd_rotational ? ", rotates" : "",
	    args[1]->hd_removable ? ", removable" : "",
	    args[1]->hd_readonly ? ", read only" : "", args[1]->hd_model);
}

hwconfig:::partition
{
	printf("partition  %-8s %d MB of %s, from %d MB\n", args[0]->dev_name,
	    args[1]->hd_size / 1048576, args[1]->hd_disk, args[1]->hd_start / 1048576);
}

hwconfig:::network
{
	this->speed = args[1]->hn_speed / 1000000;
	printf("network    %-8s %s%s, packets of %d, %s %s\n", args[0]->if_name,
	    args[1]->hn_up ? "up" : "down",
	    this->speed ? strjoin(", Mb/s: ", lltostr(this->speed)) : "",
	    args[1]->hn_mtu, args[1]->hn_address, args[1]->hn_driver);
}

tick-1ms
{
	exit(0);
}
