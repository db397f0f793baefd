/* run: -q -c @stacks@ */
/* records as the machine code of a clause makes them, and several of one firing */
pid$target:a.out:middle:entry
{
	self->n++;
	printf("%s`%s:%s is call %d\n", probemod, probefunc, probename, self->n);
}
pid$target:a.out:middle:entry /self->n & 1/
{
	trace(self->n & 2 ? 10 : 20);
	trace("odd");
	x += self->n;
	printf(" %d %u %x\n", (char)(x + 100), (unsigned char)-x, -x);
}
pid$target:a.out:middle:return
{
	printf("%d %s\n", arg1 == self->n, probename);
	@["returns", probefunc] = sum(x);
}
