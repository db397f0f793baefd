/* command: -P 4 */
