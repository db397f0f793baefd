/* functions that longjmp() left indent no line after the return around them */
/* run: -F -s @file@ -c @relay@ */
pid$target:a.out:left:entry, pid$target:a.out:left:return,
pid$target:a.out:inner:entry, pid$target:a.out:inner:return,
pid$target:a.out:half:entry, pid$target:a.out:half:return
{
}
