BEGIN { trace(this->x); exit(0); }
