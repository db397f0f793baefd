/* run: -q -x strsize=512 -c @sameplace@ */
/* what was in the place of a stack before is no part of it, behind its last frame */
string text;

BEGIN
{
	text = "as long as a stack of eight frames: sixty-four bytes and more, ";
	text = strjoin(text, text);
	text = strjoin(text, text);
}
pid$target:a.out:place:entry
/n++ % 2/
{
	joined = strjoin(n % 4 ? "one " : "another ", text);
}
pid$target:a.out:place:entry
{
	@[ustack(60)] = count();
}
END
{
	printa("%@d\n", @);
}
