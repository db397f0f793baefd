inline int WHICH = 2;
