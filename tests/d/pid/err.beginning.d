/* the example of the reference */
/* command: -n 'pid$target:a.out:main:beginning' -c @once@ */
