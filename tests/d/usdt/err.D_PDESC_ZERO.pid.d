/* A note cannot name pid's provider. */
/* run: -qs @file@ -c '@noted@ 1' */
*d$target::forms:entry, noted$target:::absent { }
