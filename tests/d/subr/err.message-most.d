/* the text of the message */
BEGIN { this->x = substr("a", 1, 2, 3); }
