/* command: -x nspec=65537 -n BEGIN */
