/* letters, digits, underscores; case matters */
BEGIN
{
	_a1 = 1; A = 2; a = 3; x_y_2 = 4;
	printf("%d %d %d %d\n", _a1, A, a, x_y_2);
	exit(0);
}
