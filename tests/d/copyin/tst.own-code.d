/* code is read as it is without probes, on both sides of a page's end */
/* run: -c @covered@ */
pid$target:a.out:covered_*:entry { n++; }
pid$target:a.out:covered_*:return { n++; }
pid$target:a.out:look:entry
{
	tracemem(copyin(arg0, 64), 64);
	tracemem(copyin(arg1, 50), 50);
	printf("%d %d\n", strlen(copyinstr(arg1)), strlen(copyinstr(arg1 + 33)));
	printf("%x %x\n", *(userland uint64_t *)arg0, *(userland uint32_t *)(arg1 + 33));
}
END { printf("%d\n", n); }
