/* each byte is a number to 255 */
BEGIN
{
	this->p = (ipaddr_t *)alloca(4);
	*this->p = -1;
	printf("[%s]\n", inet_ntoa(this->p));
	printf("[%s]\n", inet_ntop(2, this->p));
	exit(0);
}
