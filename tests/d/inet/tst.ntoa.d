/* four bytes in memory order */
BEGIN
{
	this->p = (ipaddr_t *)alloca(4);
	*this->p = htonl(0x7f000001);
	printf("[%s]\n", inet_ntoa(this->p));
	printf("[%s]\n", inet_ntop(2, this->p));
	printf("[%s]\n", inet_ntoa((ipaddr_t *)alloca(4)));
	exit(0);
}
