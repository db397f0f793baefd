/* the first one that reads comes with a library, and that three times */
/* run: -Z -o @tmp@/out -c "@loader@ @plugin.so@" */
pid$target:a.out::entry { n++; }
pid$target:plugin.so:plug*:entry,
pid$target:plugin.so:plug*:return
{
	this->code = (uint8_t *)copyin(uregs[R_PC], 16);
	@covered[probefunc, probename] =
	    sum(this->code[0] == 0xe9 || this->code[0] == 0xe8 || this->code[0] == 0xeb ||
		this->code[0] == 0xcc);
	@n[probefunc, probename] = count();
}
END { printa("%s %s %@d %@d\n", @covered, @n); }
