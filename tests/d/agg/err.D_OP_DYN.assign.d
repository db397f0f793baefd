BEGIN { @a = count(); x = @a; exit(0); }
