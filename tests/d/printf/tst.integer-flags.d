/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("[%+d][% d][%+ d][%-6d][%06d][%-06d][%+06d]\n", 5, 5, 5, 5, 5, 5, 5);
	printf("[%+u][%+i][% i][%+i]\n", 5, 5, 5, -5);
	printf("[%#o][%#x][%#X][%#o][%#x]\n", 8, 255, 255, 0, 0);
	printf("[%.3d][%6.3d][%-6.3d][%06.3d][%.3x]\n", 5, 5, 5, 5, 10);
	exit(0);
}
