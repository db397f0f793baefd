/* the text of the message */
BEGIN { this->x = substr("a"); }
