struct out { int a; };
translator struct out < int N > { a = N; };
provider p { probe x(string s) : (struct out s); };
BEGIN { exit(0); }
