/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::guarded { trace(args[2]); }
