struct in { int a; char c; };
translator struct in < int N > { a = N; c = 'x'; };
BEGIN { print(xlate <struct in> (7)); exit(0); }
