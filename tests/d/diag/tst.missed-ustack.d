/* a function that nothing is known of: the stack ends in it, and that is reported */
/* run: -c @blind@ */
pid$target:a.out:marked:entry /n++ == 0/ { ustack(); }
pid$target:a.out:main:entry { ustack(); }
diag:::missed-ustack
{
	usym(args[0]);
	printf(" after %d frames: %s:%s", args[1], probeprov, probename);
	ustack(1);
}
