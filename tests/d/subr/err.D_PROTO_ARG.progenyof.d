/* refused */
BEGIN { this->x = progenyof("1"); exit(0); }
