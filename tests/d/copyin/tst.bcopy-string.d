/* a string is taken where an address is */
BEGIN
{
	this->p = (char *)alloca(8);
	bcopy("abcdefg", this->p, 4);
	bcopy(strjoin("x", "yz"), this->p + 1, 2);
	printf("%s\n", stringof(this->p));
	exit(0);
}
