#!/bin/sh
# Sizes and throughput of a copy, by name of the program and of the files.
# run: -

$DTRACE -qn '
syscall::read:return
/execname == "dd" && fds[0].fi_pathname == "/dev/zero" && arg0 == 512/
{
	@read = sum(arg0);
	@reads = count();
	@sizes = quantize(arg0);
}

syscall::write:entry
/execname == $$1 && arg0 == 1/
{
	@written[fds[arg0].fi_pathname] = sum(arg2);
}

END
{
	printa("%@d bytes in %@d reads\n", @read, @reads);
	printa(@sizes);
	printa("%s: %@d\n", @written);
}' -c "dd if=/dev/zero of=/dev/null bs=512 count=200 status=none" dd
