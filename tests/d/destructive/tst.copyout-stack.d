/* below the stack of the target, where no one minds */
/* run: -w -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	this->p = (int *)alloca(8);
	*this->p = 12345;
	copyout(this->p, uregs[20] - 512, 4);
	copyoutstr("written", uregs[20] - 600, 5);
	copyoutstr("abc", uregs[20] - 700, 100);
	printf("%d|%s|%s\n", *(int *)copyin(uregs[20] - 512, 4), copyinstr(uregs[20] - 600, 5),
	    copyinstr(uregs[20] - 700));
}
