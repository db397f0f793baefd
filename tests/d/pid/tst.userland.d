/* a userland pointer reads the target */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	this->p = (userland char *)arg0;
	printf("%c%c%c\n", *this->p, this->p[2], *(this->p + 4));
}
