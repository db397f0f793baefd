/* keys are cut at strsize */
/* run: -x strsize=4 */
BEGIN
{
	@["abcdefgh"] = count(); @["abcdzzzz"] = count();
	exit(0);
}
