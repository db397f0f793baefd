/* run: -x version=1.0 */
/* a name of a later version is no misspelt one */
BEGIN
{
	trace(index("a", "a"));
}
