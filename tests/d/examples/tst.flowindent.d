/* run: -F -s @file@ -c @once@ */
pid$target:a.out:main:entry, pid$target:a.out:main:return,
pid$target:a.out:f:entry, pid$target:a.out:f:return
{ }
