/* the process itself and those above it; no other */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	printf("%d %d %d %d\n", progenyof($target), progenyof(ppid), progenyof(1), progenyof(-1));
}
