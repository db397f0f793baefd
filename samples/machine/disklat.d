/* SPDX-License-Identifier: MIT */
/* How long do requests of disks take?
 *
 *	dtrace -s disklat [SECONDS]
 *
 * Prints a histogram of microseconds for each disk and direction. Of the whole machine, for
 * root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

io:::start
{
	start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
}

io:::done
/start[args[0]->b_edev, args[0]->b_blkno]/
{
	@us[args[1]->dev_statname, args[0]->b_flags & B_WRITE ? "write" : "read"] =
	    quantize((timestamp - start[args[0]->b_edev, args[0]->b_blkno]) / 1000);
	start[args[0]->b_edev, args[0]->b_blkno] = 0;
}

END
{
	printa("%s, %s, microseconds%@d\n", @us);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
