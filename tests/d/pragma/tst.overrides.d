/* a pragma overrides the command line */
/* run: -x strsize=6 */
#pragma D option strsize=4
BEGIN { s = "abcdefgh"; printf("%s %d\n", s, sizeof (string)); exit(0); }
