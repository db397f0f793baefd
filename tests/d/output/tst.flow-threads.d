/* run: -F -x flowtid -x flowtime -s @file@ -c @flow@ */
/* Each thread has its own indentation; returns have the time since the entry. */
pid$target:a.out:outer:entry,
pid$target:a.out:outer:return,
pid$target:a.out:inner:entry,
pid$target:a.out:inner:return
{
}
