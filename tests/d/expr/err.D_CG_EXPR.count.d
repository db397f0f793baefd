BEGIN { x = count(); exit(0); }
