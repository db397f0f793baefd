int A;
enum f { A };
BEGIN { exit(0); }
