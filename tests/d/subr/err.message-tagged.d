/* the text of the message */
BEGIN { this->x = inet_ntoa6(5); }
