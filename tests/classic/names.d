#!/usr/sbin/dtrace -s
/* Strings of a program.
 * run: -c "@errands@ names" */

#pragma D option quiet

pid$target:a.out:named:entry
{
	this->s = copyinstr(arg0);
	printf("%s(\"%s\"), %d characters\n", probefunc, this->s, strlen(this->s));
	@[this->s] = count();
	@all = sum(strlen(this->s));
	@joined[strjoin(strjoin("<", this->s), ">")] = count();
}

dtrace:::END
{
	printa("[%s] %@d\n", @);
	printa("%s %@d\n", @joined);
	printa("%@d\n", @all);
}
