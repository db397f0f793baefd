/* run: -s @file@ 1 2 */
BEGIN { trace($1); exit(0); }
