/* a program without Python: the same stacks with the option */
/* run: -q -c @once@ */
#pragma D option pystack=yes
pid$target:a.out:f:entry
{
	ustack(2);
}
