BEGIN { @a = nosuch(1); exit(0); }
