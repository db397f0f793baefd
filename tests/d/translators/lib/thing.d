struct thing { int size; };
translator struct thing < int N > { size = N; };
inline struct thing *thing = xlate <struct thing *> (12);
