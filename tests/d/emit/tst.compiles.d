/* run: -e -s @file@ */
/*
 * Numbers, pointers and texts of all kinds; also where a variable has the name.
 */
int emit;

BEGIN
{
	emit("nothing");
	emit("Name_1", 1, (char)-1, (void *)16, "text", probename, curpsinfo->pr_psargs);
	emit("Name_2", emit, execname, 1 << 3, arg0);
}

