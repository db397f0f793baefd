/* each doubles the one before: what it stands for has no end */
int g;
inline int a1 = g + g;
inline int a2 = a1 + a1 + a1 + a1 + a1 + a1 + a1 + a1;
inline int a3 = a2 + a2 + a2 + a2 + a2 + a2 + a2 + a2;
inline int a4 = a3 + a3 + a3 + a3 + a3 + a3 + a3 + a3;
inline int a5 = a4 + a4 + a4 + a4 + a4 + a4 + a4 + a4;
inline int a6 = a5 + a5 + a5 + a5 + a5 + a5 + a5 + a5;
inline int a7 = a6 + a6 + a6 + a6 + a6 + a6 + a6 + a6;
inline int a8 = a7 + a7 + a7 + a7 + a7 + a7 + a7 + a7;
BEGIN { exit(0); }
