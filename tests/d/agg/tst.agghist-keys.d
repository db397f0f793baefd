/* run: -x agghist */
/* bars of all elements in one scale; narrow columns of keys */
BEGIN
{
	@["a", 1] = count();
	@["bee", -2] = count(); @["bee", -2] = count(); @["bee", -2] = count();
	exit(0);
}
