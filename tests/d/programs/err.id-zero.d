/* command: -i 0-9 */
