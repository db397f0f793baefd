/* a global has the type of what is stored first */
struct s { char text[100000]; };
BEGIN { t = *(struct s *)alloca(8); exit(0); }
