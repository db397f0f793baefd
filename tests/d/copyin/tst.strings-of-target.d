/* what was copied in is a string as any other */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	printf("%s|%s|%d\n", substr(copyinstr(arg0), 2, 6), strstr(copyinstr(arg0), "the"),
	    index(copyinstr(arg0), "target"));
}
