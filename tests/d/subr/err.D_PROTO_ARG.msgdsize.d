/* refused */
BEGIN { this->x = msgdsize(1); exit(0); }
