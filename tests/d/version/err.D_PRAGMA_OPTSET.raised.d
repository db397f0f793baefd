/* run: -x version=1.5 */
#pragma D option version=1.6
BEGIN { exit(0); }
