BEGIN { @a = count(); p = &@a; exit(0); }
