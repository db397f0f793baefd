inline int WHICH = 1;
