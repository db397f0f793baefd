/* Listed as they were written, and once only: constructors that are one. */
/* run: -l -c @named@ -s @file@ */
#pragma D option demangle
pid$target:a.out:store::item::*:entry {}
