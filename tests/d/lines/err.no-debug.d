/* run: -qs @file@ -c @typed_nodebug@ */
pid$target:a.out::typed.c@1 { }
