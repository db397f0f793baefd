/* bytes of the target through a pointer */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	this->p = (char *)copyin(arg0, 10);
	printf("%c%c%c|%d\n", this->p[2], *(this->p + 3), this->p[9], *(short *)copyin(arg0, 2));
}
