struct s { int a; };
typedef struct s s_t;
typedef int s_t;
BEGIN { exit(0); }
