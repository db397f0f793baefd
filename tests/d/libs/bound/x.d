#pragma D binding "1.5" OLD
inline int OLD = 5;
#pragma D binding "1.6" NEW
inline string NEW = "six";
