/* command: -f 7.2 */
