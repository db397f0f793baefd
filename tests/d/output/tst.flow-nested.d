/* with BEGIN, data and END */
/* run: -F -s @file@ -c @once@ */
BEGIN { printf("go"); }
pid$target:a.out:main:entry, pid$target:a.out:main:return,
pid$target:a.out:f:entry, pid$target:a.out:f:return
{ trace(probename); }
END { }
