/* command: -32 */
