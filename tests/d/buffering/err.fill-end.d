/* run: -x bufpolicy=fill -x bufsize=200 */
BEGIN { exit(0); }
END { printf("%s %s\n", "this may be long", "this too"); }
