/* the offset, the value, the second register, then nothing */
/* run: -c @once@ */
pid$target:a.out:f:entry { self->f = uregs[R_RIP]; }
pid$target:a.out:f:return
{
	printf("%x %d %d %d\n", arg0, (int)arg1, arg3, arg9);
	printf("%d %d\n", arg0 == uregs[R_RIP] - self->f, arg2 == uregs[R_RDX]);
}
