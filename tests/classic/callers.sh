#!/bin/sh
# Who calls a function: by stack, by caller.
# run: -

$DTRACE -q -x ustackframes=2 -n '
pid$target:a.out:leaf:entry,
pid$target:a.out:middle:entry
{
	@stacks[ustack()] = count();
	@callers[probefunc, usym(ucaller), umod(ucaller)] = count();
	@deep[ustackdepth > 2] = count();
}

END
{
	printa("%s %A %A %@d\n", @callers);
	printa("deep %d: %@d\n", @deep);
	printa(@stacks);
}' -c "$WORK calls"
