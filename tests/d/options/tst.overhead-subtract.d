/* timestamp stands still while the probes of one place fire, and never goes back */
/* run: -q -x overhead=subtract -c @once@ */
self uint64_t t;

pid$target:a.out:f:
{
	printf("%s%s\n", probename, timestamp > 0 && timestamp >= self->t ? "" : ": back");
	self->t = timestamp;
}

pid$target:a.out:f:entry,
pid$target:a.out:f:return
{
	printf("%d\n", timestamp - self->t);
}
