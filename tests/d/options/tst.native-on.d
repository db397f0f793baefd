/* run: -q -x native=on -c @stacks@ */
/* the same values by machine code and by the interpreter */
fpid$target:a.out:middle:entry
{
	self->n++;
	x += self->n * 3;
	@["calls", probefunc] = sum(self->n);
	@bits[x & 3] = max(x);
}
END { printf("%d\n", x); }
