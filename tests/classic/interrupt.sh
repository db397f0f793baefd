#!/bin/sh
# Ctrl-C: END fires and aggregations are printed. The script itself tells when.
# run: -

$DTRACE -n '
#pragma D option destructive

pid$target::leaf:entry
{
	@n = count();
	calls++;
}

pid$target::leaf:return
/calls == 10/
{
	system("kill -INT %d", $pid);
}

dtrace:::END
{
	printf("the end, %s", calls >= 10 ? "after 10 calls" : "too early");
	printa("\ncounted %@d\n", @n);
	printf("calls %d\n", calls);
}' -o interrupted -c "$WORK steps" 2>messages
grep -c ':END' interrupted
grep -o 'the end.*' interrupted
sed -n 's/counted //p' interrupted >counted
sed -n 's/calls //p' interrupted | cmp - counted && echo all are counted
