/* refused */
BEGIN { this->x = ddi_pathname(1); exit(0); }
