inline int OTHER = 4;
