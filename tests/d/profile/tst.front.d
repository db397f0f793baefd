/* without a process profile fires in dtrace itself, as tick does, or for root on every processor */
profile-20ms { printf("%s %s %d\n", probeprov, probename, arg0 != 0 || arg1 != 0); }
profile-20ms /n++ == 1/ { exit(0); }
