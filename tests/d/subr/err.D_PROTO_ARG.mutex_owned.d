/* refused */
BEGIN { this->x = mutex_owned(1); exit(0); }
