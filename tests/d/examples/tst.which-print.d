/* run: -s @file@ */
BEGIN { }
BEGIN { x = 1; }
BEGIN { @ = count(); }
BEGIN { exit(0); }
