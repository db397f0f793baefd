/* a Python of another version has native frames only */
/* run: -x pystack -c @snake13@ -s @file@ */
pid$target:a.out:g:entry
{
	ustack(2);
}
