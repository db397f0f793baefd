/* integers and pointers, true when not zero */
BEGIN /5/ { printf("a"); }
BEGIN /0/ { printf("b"); }
BEGIN /-1/ { printf("c"); }
BEGIN /(int *)8/ { printf("d"); }
BEGIN /NULL/ { printf("e"); }
BEGIN /x++ > 0/ { printf("f"); }
BEGIN /x == 1 && "a" == "a"/ { printf("g"); }
BEGIN /0x100000000/ { printf("h"); }
BEGIN { printf("\n"); exit(0); }
