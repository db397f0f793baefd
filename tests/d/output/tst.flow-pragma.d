/* by pragma */
/* run: -s @file@ */
#pragma D option flowindent
BEGIN { exit(0); }
