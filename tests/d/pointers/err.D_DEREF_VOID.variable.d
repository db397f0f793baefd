int v[4];
void *p;
BEGIN { p = &v[1]; trace(*p); exit(0); }
