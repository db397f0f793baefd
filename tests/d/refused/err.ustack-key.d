/* refused by name until it is written */
BEGIN { @[ustack()] = count(); exit(0); }
