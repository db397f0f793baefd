/* args[] says when its operand is not understood. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::strange { trace(args[1]); }
