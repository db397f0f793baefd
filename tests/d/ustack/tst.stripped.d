/* names are those of unwind entries */
/* run: -o @tmp@/out -c @plain_stripped@ */
pid$target:a.out:sub_*:entry
/!self->n++/
{
	ustack(1);
}
