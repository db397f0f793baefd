/* each specifier counts once */
/* run: -s @file@ */
BEGIN { if (1) exit(0); else trace(1); }
