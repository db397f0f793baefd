/* zeroed, of the size asked for, to be written */
BEGIN
{
	this->p = (char *)alloca(4);
	this->q = (char *)alloca(4);
	printf("%d\n", *(int *)this->p);
	printf("%d\n", (*(int *)this->p = 7));
	printf("%d\n", *(int *)this->p);
	printf("%d\n", this->q - this->p >= 4);
	printf("%d\n", (uint64_t)this->q % 8);
	exit(0);
}
