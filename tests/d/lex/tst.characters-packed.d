/* several characters pack most significant first */
BEGIN
{
	printf("%x %x %x\n", 'ab', 'abcd', 'abcdefgh');
	printf("%x %d\n", '\c', sizeof ('a'));
	exit(0);
}
