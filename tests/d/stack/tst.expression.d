/* A frame that only a DWARF expression finds does not end the stack. */
/* run: -q -s @file@ -c @expressed@ */
pid$target:a.out:inner:entry { ustack(4); }
