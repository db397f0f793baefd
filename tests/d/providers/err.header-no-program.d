/* command: -h */
