#!/usr/sbin/dtrace -s
/* Specifiers: fields filled from the right, globs, lists, macros, numbers. */
BEGIN { }
malloc:entry { }
libc.so.6:malloc:entry, libc.so.6:free:entry,
ERROR { }
pid$target:a.out::return
/ arg1 < 0 /	/* the predicate ends where only a body can follow */
{ }
p*d12:lib[!a-c]*.so:?x\*y:1c { }
1 { }
profile-97
/(pid / 2 > 1) && 6 / 3 == 2/
{
}
