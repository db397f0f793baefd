/* refused */
BEGIN { this->x = mutex_type_spin(1); exit(0); }
