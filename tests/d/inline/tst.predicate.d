/* in predicates, keys and conditions */
this int n;
inline int is_first = this->n == 0;
BEGIN /is_first/ { printf("yes\n"); this->n = 1; }
BEGIN /is_first/ { printf("no\n"); }
BEGIN { @[is_first] = count(); a[is_first] = 4; if (!is_first) { printf("other\n"); } exit(0); }
