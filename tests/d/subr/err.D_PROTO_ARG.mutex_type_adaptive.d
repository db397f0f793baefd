/* refused */
BEGIN { this->x = mutex_type_adaptive(1); exit(0); }
