/* keys of equal value: by process, then address */
/* run: -c @stacks@ */
pid$target:a.out:middle:entry,pid$target:a.out:inner:entry,pid$target:a.out:mark:entry
/!self->n[probefunc]++/
{
	@[usym(uregs[17])] = count();
}
