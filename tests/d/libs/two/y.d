inline int ONLY = WHICH + 10;
