/* macros in every field, several in one */
/* run: -q -s @file@ dtrace BEGIN EGI '*' */
$1:::$2 { printf("%s\n", probename); }
$1:::B$$3N { printf("%s\n", probename); }
d$4:::E$4 { printf("%s\n", probename); }
BEGIN { exit(0); }
