/* refused */
BEGIN { this->x = inet_ntoa("127.0.0.1"); exit(0); }
