/* of one that returns in other ways as well, on demand */
/* run: -x tailcall=follow -c @relay@ */
pid$target:a.out:middle:return { printf("middle %d\n", (int)arg1); }
pid$target:a.out:nest*:return { @[probefunc] = count(); }
