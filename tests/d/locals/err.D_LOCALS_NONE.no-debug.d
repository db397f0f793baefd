/* run: -qs @file@ -c @typed_nodebug@ */
pid$target:a.out:main:entry { trace(locals.n); }
