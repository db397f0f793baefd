/* run: -F -x flowtime -s @file@ -c @flow@ */
/* Without flowtid threads share the indentation; a return without an entry has no time. */
pid$target:a.out:outer:return,
pid$target:a.out:inner:entry,
pid$target:a.out:inner:return
{
}
