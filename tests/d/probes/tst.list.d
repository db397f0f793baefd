/* a list shares one clause */
BEGIN,
END,dtrace:::ERROR
{ printf("%s\n", probename); }
BEGIN { exit(0); }
