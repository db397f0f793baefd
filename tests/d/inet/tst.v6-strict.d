/* with a second argument that is not 0 a compatible address is told from a mapped one */
BEGIN
{
	this->a = (struct in6_addr *)alloca(16);
	this->b = (char *)this->a;
	this->b[15] = 1;
	printf("%s %s\n", inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 1));
	this->b[12] = 127;
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 1));
	this->b[10] = -1; this->b[11] = -1;
	printf("%s %s\n", inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 2 - 1));
	this->b[0] = 0xfe;
	printf("%s %s\n", inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 1));
	exit(0);
}
