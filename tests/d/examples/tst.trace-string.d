/* run: -s @file@ */
BEGIN { trace("ab"); trace(7); exit(0); }
