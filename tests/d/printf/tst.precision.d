/* a precision is a least number of digits; 0 is none */
BEGIN
{
	printf("[%.3d][%.5x][%8.3d][%-8.3d][%08.3d]\n", 7, 255, 7, 7, 7);
	printf("[%.3d][%.1d][%.0d][%0d][%.0x]\n", -7, 12, 0, 5, 0);
	exit(0);
}
