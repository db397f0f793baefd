/* strings of the target, cut at the given number */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	s = copyinstr(arg0);
	printf("%s|%d|%s|%s|\n", s, strlen(s), copyinstr(arg0, 8), copyinstr(arg0 + 9));
}
