/* without a process profile fires in dtrace itself, as tick does */
profile-20ms /pid == $pid/ { printf("%s %s %d %d\n", probeprov, probename, arg0, arg1 != 0); n++; }
profile-20ms /n == 2/ { exit(0); }
