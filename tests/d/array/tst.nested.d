/* an element as the key of another */
BEGIN
{
	i["one"] = 1; w[1] = "one"; w[2] = "two"; i["two"] = 2;
	printf("%d %s %d\n", i[w[1]], w[i["two"]], i[w[i[w[2]]]]);
	exit(0);
}
