/* addresses of Ethernet and InfiniBand */
BEGIN
{
	this->p = (uint8_t *)alloca(20);
	this->p[1] = 1; this->p[2] = 2; this->p[3] = 10; this->p[4] = 11; this->p[5] = 255;
	printf("[%s]\n", link_ntop(1, this->p));
	printf("[%s]\n", link_ntop(32, this->p));
	exit(0);
}
