/* only elements and self-> variables can be deleted */
struct pair { int x; } g;
BEGIN { g = 0; }
