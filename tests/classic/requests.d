#!/usr/sbin/dtrace -s
/* Structures of an application, declared in the script and from its debug data.
 * run: -c "@errands@ requests" */

#pragma D option quiet

struct my_request {
	int id;
	char who[16];
	long size;
	struct my_request *next;
};

pid$target:a.out:handle:entry
{
	self->r = (struct my_request *)copyin(arg0, sizeof (struct my_request));
	@sizes[stringof(self->r->who)] = sum(self->r->size);
	@typed[args[0]->id, stringof(args[0]->who), args[0]->next != NULL] = count();
}

pid$target:a.out:handle:return
{
	@sum = sum(arg1);
}

dtrace:::END
{
	printa("%-8s %@6d\n", @sizes);
	printa("%d %-8s %d %@d\n", @typed);
	printa("in all %@d\n", @sum);
}
