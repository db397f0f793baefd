/* command: -x keyword=io -x eventlists=/no/such/file -n BEGIN */
