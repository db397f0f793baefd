/* A name that is nearly that of a probe. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::more-registrs { }
