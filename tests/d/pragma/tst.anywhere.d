/* inside a clause and after it; values in every form */
/* run: -s @file@ */
BEGIN {
#pragma D option quiet=yes
	printf("hi\n"); exit(0); }
  #  pragma   D   option   aggsortrev  
