/* The words after -- are the command; operands may precede them. */
/* run: -q -s @file@ 7 -- /bin/echo 'a  b' -n */
BEGIN { printf("%d\n", $1); }
