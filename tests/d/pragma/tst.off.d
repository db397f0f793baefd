/* options switched off again */
/* run: -q -F -s @file@ */
#pragma D option quiet=no
#pragma D option flowindent=off
BEGIN { printf("hi"); exit(0); }
