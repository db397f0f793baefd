BEGIN
{
	x = 4;
	if (x % 2) {
		printf("odd\n");
	} else {
		printf("even\n");
	}
	exit(0);
}
