/* command: -f 4 */
