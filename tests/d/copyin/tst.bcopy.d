/* forwards and backwards over itself */
BEGIN
{
	this->s = (char *)"abcdef";
	this->p = (char *)alloca(8);
	this->q = (char *)alloca(8);
	bcopy(this->s, this->p, 7);
	bcopy(this->s, this->q, 7);
	bcopy(this->q, this->q + 2, 4);
	printf("[%s]\n", stringof(this->p));
	printf("[%s]\n", stringof(this->q));
	exit(0);
}
