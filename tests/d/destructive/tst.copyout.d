/* bytes into the process, read back */
/* run: -w -c "@spin@ 300" */
pid$target:a.out:main:entry
{
	this->argv = *(uint64_t *)copyin(arg1 + 8, 8);
	this->old = copyin(this->argv, 4);
	copyoutstr("12", this->argv, 10);
	printf("%s ", copyinstr(this->argv));
	copyout(this->old, this->argv, 4);
	printf("%s\n", copyinstr(this->argv));
}
