#!/bin/sh
# What small buffers keep: the first records, or the last.
# run: -

keep()
{
	if [ $policy = fill ]; then
		head -n 1
	else
		tail -n 1
	fi
}

for policy in fill ring; do
	echo $policy
	$DTRACE -q -b 64 -x bufpolicy=$policy -n '
	pid$target::leaf:entry
	{
		printf("%d\n", (int)arg0);
	}' -c "$WORK calls" 2>/dev/null | grep . | keep
done
