/* no such probe */
/* command: -i 99999 */
