/* What cannot be read is a fault, and the program and other clauses go on. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::strange { printf("%d\n", arg0); }
noted$target:::strange { printf("%d\n", arg6); }
noted$target:::strange { printf("%x\n", arg7); }
noted$target:::unreadable { printf("%d\n", arg0); }
noted$target:::unreadable { printf("%d\n", arg1); }
noted$target:::none { printf("%d\n", arg0); }
