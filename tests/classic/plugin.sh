#!/bin/sh
# Functions of a library that is loaded while the program runs.
# run: -

$DTRACE -Zqn '
pid$target:plugin.so:plugged:entry
{
	@in = count();
}

pid$target:plugin*:plugged:return
{
	@out[probefunc] = count();
}

pid$target:a.out:turn:entry
{
	@turns = count();
}

END
{
	printa("in %@d of %@d\n", @in, @turns);
	printa("%s %@d\n", @out);
}' -c "$LOADER $PLUGIN 3"
