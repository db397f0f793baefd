/* names are read whatever the limit, if it is not tiny */
/* run: -x symlimit=64m -c @typed@ */
pid$target:a.out:main:entry
{
	printf("%s\n", probefunc);
	exit(0);
}
