/* run: -x bufpolicy=ring -x bufsize=48 -s @file@ */
/* lines with their prefixes */
BEGIN { trace(1); } BEGIN { trace(2); } BEGIN { trace(3); } BEGIN { trace(4); }
BEGIN { exit(0); }
