/* scratch memory lives as long as the firing, not the clause */
BEGIN { p = (int *)alloca(4); *p = 5; }
BEGIN { this->q = (int *)alloca(4); *this->q = 6; printf("%d %d\n", *p, *this->q); exit(0); }
