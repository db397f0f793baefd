BEGIN { @a = count(); }
inline int x = @a;
BEGIN { exit(0); }
