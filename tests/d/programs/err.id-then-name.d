/* the number of a probe is a token of its own */
/* command: -i 4-2 */
