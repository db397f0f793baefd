/* the text of the message */
BEGIN { this->x = progenyof("1"); }
