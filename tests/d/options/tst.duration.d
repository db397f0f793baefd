/* The end of the time is like exit(0): ticks that are due then fire, END fires. */
#pragma D option duration=50ms

BEGIN { printf("begin\n"); }
tick-50ms { printf("tick\n"); }
tick-1h { printf("late\n"); }
END { printf("end\n"); }
