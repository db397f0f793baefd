/* command: -h -s @file@ -s @file@ */
