/* the text of the message */
BEGIN { this->x = strjoin("a"); }
