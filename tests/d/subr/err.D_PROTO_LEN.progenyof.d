/* refused */
BEGIN { this->x = progenyof(); exit(0); }
