this int x;
BEGIN { p = &this->x; exit(0); }
