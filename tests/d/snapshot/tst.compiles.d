/* run: -e -s @file@ */
/*
 * Any clause, beside all other data-recording actions.
 */
BEGIN, END, tick-1s
/probename != "x"/
{
	trace(probename);
	snapshot();
	@[probename] = count();
	snapshot();
}
