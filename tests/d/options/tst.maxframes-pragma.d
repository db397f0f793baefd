/* run: -c @recurse@ */
#pragma D option maxframes=1
pid$target:a.out:fib:entry { @[ustack()] = count(); }
END { trunc(@, 1); printa("%k", @); clear(@); trunc(@); }
