/* an address has no frame */
/* run: -c @once@ */
pid$target::-:unwound {}
