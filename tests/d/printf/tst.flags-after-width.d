/* flags may follow the width and the precision */
BEGIN
{
	printf("[%8-d] [%8+d] [%8 d] [%6#x] [%8.5-d] [%8.5+d]\n", 1, 2, 3, 4, 5, 6);
	printf("[%8-s] [%*-s] [%?-x]\n", "a", 6, "b", 7);
	@["k"] = sum(-5);
	printa("[%-9s] [%8@d] [%-9@x] [%4@u] [%@8d]\n", @);
	printa("[%9-s] [%8@-d] [%@+8d] [%8.3@d]\n", @);
	trunc(@);
	exit(0);
}
