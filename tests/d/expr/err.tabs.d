/* the caret keeps the tabs of its line */
BEGIN
{
		x	=	nosuch;
}
