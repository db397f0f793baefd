/* tick fires again and again */
tick-20ms { printf("%s %s %d\n", probeprov, probename, arg0); n++; }
tick-20ms /n == 3/ { exit(0); }
