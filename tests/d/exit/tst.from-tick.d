tick-10ms { printf("t\n"); exit(6); }
END { printf("end\n"); }
