/* what matches nothing is said; the status stays 0 */
/* command: -l -n 'nosuch:::probe' -n BEGIN */
