struct pair { int x; };
this struct pair t;
BEGIN { this->t = 0; }
