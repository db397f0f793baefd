/* The process is missing. */
/* run: -qs @file@ -c '@noted@ 1' */
noted:::guarded { }
