/* run: -x top */
BEGIN
{
	@ = count();
}
