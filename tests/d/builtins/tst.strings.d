/* built-in strings are strings */
BEGIN
{
	printf("%s %d %d\n", probename, strlen(probename), probename == "BEGIN"); a[probename] = 3; printf("%d\n", a["BEGIN"]);
	exit(0);
}
