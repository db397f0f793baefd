/* refused */
BEGIN { this->x = mutex_owner(1); exit(0); }
