BEGIN { @a = count(); x = 1; trace(x ? @a : @a); exit(0); }
