struct pair { int x; };
struct pair a[int];
BEGIN { a[1] = 1; }
