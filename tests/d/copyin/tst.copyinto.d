/* into memory that was taken before */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:text:entry /n++ == 0/
{
	this->p = (char *)alloca(9);
	copyinto(arg0, 8, this->p);
	copyinto(arg0 + 9, 0, this->p);
	printf("%s|%s\n", stringof(this->p), strtok(stringof(this->p), " "));
}
