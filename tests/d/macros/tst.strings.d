/* $$N is a string, escapes processed */
/* run: -q -s @file@ 12 name 'a\tb' '' */
BEGIN { printf("%s|%s|%s|%d\n", $$1, $$2, $$3, strlen($$4)); exit(0); }
