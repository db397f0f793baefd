/*
#pragma D depends_on provider nosuch
*/
inline int SEEN = 1;
