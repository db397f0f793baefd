/*
 * A function field names C++ functions as they were written: by "::" in a description
 * of all four fields, by \ before what is no character of a description, by globs.
 */
/* run: -c @named@ */
pid$target:a.out:store::find:entry { @[1, probefunc] = count(); }
pid$target:a.out:store::find\(char\):entry { @[2, probefunc] = count(); }
pid$target::store??find*:entry { @[3, probefunc] = count(); }
pid$target:a.out:*twice\<*\>:entry { @[4, probefunc] = count(); }
pid$target:a.out:store::item::item:entry { @[5, probefunc] = count(); }
pid$target:a.out:store::item::\~item:entry { @[6, probefunc] = count(); }
pid$target:a.out:*operator\+*:entry { @[7, probefunc] = count(); }
pid$target:a.out:total:entry { @[8, probefunc] = count(); }
pid$target:a.out:*anonymous*hidden:entry { @[9, probefunc] = count(); }
pid$target:a.out:_ZN5store4findEi:entry { @[10, probefunc] = count(); }
pid$target:a.out:store::*:entry { @[11, probefunc] = count(); }
END { setopt("aggsortkey"); printa(" %d %s %@d\n", @); }
