struct s { char text[100000]; };
this struct s t;
BEGIN { this->t.text[0] = 1; exit(0); }
