/* names are probes of their own, also of one rate */
tick-10hz { @[probename] = max(1); }
tick-100ms { @[probename] = max(1); }
tick-500ms { exit(0); }
END { printa("%s\n", @); }
