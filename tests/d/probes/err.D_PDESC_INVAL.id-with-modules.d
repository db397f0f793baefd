/* command: -m 4 */
