/* run: -s @file@ 1 */
BEGIN { trace($$2); exit(0); }
