/* Nothing but copies. */
/* run: -s @file@ -c @inlined@ */
pid$target:a.out:only_*:entry {}
