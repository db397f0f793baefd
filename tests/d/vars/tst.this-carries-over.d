/* this-> survives from clause to clause of one firing */
BEGIN { this->x = 5; this->s = "abc"; }
BEGIN { this->x *= 2; }
BEGIN /this->x == 10/ { printf("%d %s\n", this->x, this->s); exit(0); }
