BEGIN { @a[1] = count(); @a[1]; exit(0); }
