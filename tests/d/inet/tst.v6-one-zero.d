/* sixteen bytes in network order */
BEGIN
{
	this->p = (uint16_t *)alloca(16);
	this->p[0] = htons(0x1);
	this->p[2] = htons(0x2);
	this->p[3] = htons(0x3);
	this->p[4] = htons(0x4);
	this->p[5] = htons(0x5);
	this->p[6] = htons(0x6);
	this->p[7] = htons(0x7);
	this->a = (in6_addr_t *)this->p;
	printf("[%s]\n", inet_ntoa6(this->a));
	printf("[%s]\n", inet_ntop(10, this->a));
	exit(0);
}
