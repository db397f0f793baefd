/* refused */
BEGIN { this->x = lltostr("1"); exit(0); }
