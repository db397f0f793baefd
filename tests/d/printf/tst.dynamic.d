/* * takes width or precision from an argument */
BEGIN
{
	w = 6; p = 2;
	printf("[%*d][%-*d][%*s][%.*s][%*.*s]\n", w, 42, w, 42, w, "abc", p, "abc", w, p, "abc");
	printf("[%*x][%.*d][%0*d]\n", 8, 255, 3, 7, 5, 42);
	exit(0);
}
