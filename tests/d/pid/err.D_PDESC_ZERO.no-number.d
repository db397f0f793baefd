/* without digits it is a provider like any other, and there is none */
pid:::entry { n++; }
