/* sixteen bytes in network order */
BEGIN
{
	this->p = (uint16_t *)alloca(16);
	this->p[0] = htons(0x2001);
	this->p[3] = htons(0x1);
	this->p[7] = htons(0x1);
	this->a = (in6_addr_t *)this->p;
	printf("[%s]\n", inet_ntoa6(this->a));
	printf("[%s]\n", inet_ntop(10, this->a));
	exit(0);
}
