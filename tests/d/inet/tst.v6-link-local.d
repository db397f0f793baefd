/* sixteen bytes in network order */
BEGIN
{
	this->p = (uint16_t *)alloca(16);
	this->p[0] = htons(0xfe80);
	this->p[4] = htons(0x214);
	this->p[5] = htons(0x4fff);
	this->p[6] = htons(0xfe0b);
	this->p[7] = htons(0x76c8);
	this->a = (in6_addr_t *)this->p;
	printf("[%s]\n", inet_ntoa6(this->a));
	printf("[%s]\n", inet_ntop(10, this->a));
	exit(0);
}
