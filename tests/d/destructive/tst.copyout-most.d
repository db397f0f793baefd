/* copyoutstr() writes at most so many bytes */
/* run: -w -c "@spin@ 300" */
pid$target:a.out:main:entry
{
	this->argv = *(uint64_t *)copyin(arg1 + 8, 8);
	copyoutstr("12345", this->argv, 2);
	printf("%s\n", copyinstr(this->argv));
}
