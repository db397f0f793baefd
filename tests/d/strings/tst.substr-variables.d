/* arguments that are not constants */
BEGIN
{
	this->s = "abcdef";
	this->n = 2;
	printf("[%s]\n", substr(this->s, this->n, this->n + 1));
	printf("[%s]\n", substr(probename, this->n));
	exit(0);
}
