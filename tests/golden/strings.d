/* Strings: escapes, comparison, copies from the target, formats. */
BEGIN
{
	s = "tab\tquote\" back\\ octal\101 hex\x42";
	t = s == "x" ? stringof(s) : copyinstr(arg0);
	n = strlen(s) + (s < t);
	printf("%-10s|%5d|%#x|%c|%%\n", s, n, 255, 'a');
	trace(t);
}
