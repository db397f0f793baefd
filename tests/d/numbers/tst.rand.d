/* an int, not negative, and not the same again and again */
BEGIN
{
	printf("%d\n", rand() >= 0 && rand() >= 0 && rand() >= 0);
	printf("%d\n", rand() == rand() && rand() == rand());
	printf("%d\n", sizeof (rand()));
	printf("%d\n", rand() % 10 < 10);
	exit(0);
}
