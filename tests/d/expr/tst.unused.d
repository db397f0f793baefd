/* an unused value is computed and records nothing */
/* run: -s @file@ */
BEGIN { 1; x = 3; x + 1; x++; "text"; -x; }
BEGIN { trace(x); exit(0); }
