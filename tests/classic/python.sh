#!/bin/sh
# An interpreter: what it writes, and which files it looks for.
# run: -

cat >writer.py <<'END'
import os
reader, writer = os.pipe()
for n in range(1, 51):
    os.write(writer, b'x' * n)
for n in range(3):
    try:
        open('/absent/name%d' % n)
    except OSError:
        pass
END

$DTRACE -Zqn '
syscall::write:entry
/execname == "python" || pid == $target/
{
	@sum = sum(arg2);
	@n = count();
	@high = max(arg2);
	@low = min(arg2);
	@mean = avg(arg2);
}

syscall::openat:entry
{
	self->path = copyinstr(arg1);
}

syscall::openat:return
/self->path != NULL && strstr(self->path, "/absent/") != NULL/
{
	@missing[basename(self->path), errno] = count();
}

syscall::openat:return
{
	self->path = 0;
}

END
{
	printa("%@d bytes in %@d calls of %@d to %@d, mean %@d\n", @sum, @n, @low, @high, @mean);
	printa("%s %d %@d\n", @missing);
}' -c '/usr/bin/python3 -I -S writer.py'
