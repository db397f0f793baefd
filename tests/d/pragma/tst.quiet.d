/* run: -s @file@ */
#pragma D option quiet
BEGIN { printf("hi\n"); exit(0); }
