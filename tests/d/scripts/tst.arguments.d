/* SPDX-License-Identifier: MIT */
#!/usr/sbin/dtrace -s
/*
 * What is asked for and what comes of it, call by call.
 *
 * USAGE: arguments.d -c COMMAND
 */
/* run: -c @shop@ */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%8s %-6s %5s  %s\n", "CUSTOMER", "ITEM", "COUNT", "PAID");
}

pid$target:a.out:serve:entry
{
	self->customer = arg0;
	self->item = copyinstr(arg1);
	self->count = arg2;
}

pid$target:a.out:serve:return
/self->item != NULL/
{
	printf("%8d %-6s %5d  %d\n", self->customer, self->item, self->count, (long)arg1);
	self->customer = 0;
	self->item = 0;
	self->count = 0;
}
