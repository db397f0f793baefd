/* run: -w */
/* time goes on, and is seen to */
BEGIN { this->t = timestamp; chill(2000000); printf("%d\n", timestamp - this->t >= 2000000); exit(0); }
