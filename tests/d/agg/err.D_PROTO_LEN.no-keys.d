BEGIN { @a[1] = count(); @a = count(); exit(0); }
