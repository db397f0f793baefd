/* what is recorded while it is printed does not change what is printed */
/* run: -x recording=@tmp@/data -x recordlive -c @idle@ */
pid$target:a.out:main:entry
{
	printf("entry %d %s\n", arg0 > 0, copyinstr(*(uintptr_t *)copyin(arg1, 8)) != "" ? "name" : "");
	@[probename] = count();
	exit(0);
}
