/* at the top; indexes with and without brackets */
BEGIN
{
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "0"));
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "[0]"));
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "[1][1]"));
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "1.0"));
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "[2].x"));
	printf("[%s]\n", json("[10, [20, 30], {\"x\": 40}]", "1"));
	exit(0);
}
