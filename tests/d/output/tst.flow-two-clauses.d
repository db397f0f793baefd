/* further clauses of an entry, earlier ones of a return, are bars */
/* run: -F -s @file@ -c @once@ */
pid$target:a.out:main:entry, pid$target:a.out:main:return,
pid$target:a.out:f:entry, pid$target:a.out:f:return
{ }
pid$target:a.out:main:entry, pid$target:a.out:main:return,
pid$target:a.out:f:entry, pid$target:a.out:f:return
{ printf("2"); }
