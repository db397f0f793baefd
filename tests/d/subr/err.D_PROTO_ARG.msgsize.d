/* refused */
BEGIN { this->x = msgsize(1); exit(0); }
