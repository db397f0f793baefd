/* run: -x version=1.9 -x version=1.6.3 */
#pragma D option version=1.2
BEGIN { printf("ok\n"); exit(0); }
