/* -q leaves out the notices and the prefix */
BEGIN { printf("x"); trace(1); }
BEGIN { }
BEGIN { exit(0); }
