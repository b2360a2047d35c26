/** How the paper of crawler-friendly servers is cited. */
export const brandmanPaper = "Brandman, Cho, Garcia-Molina, Shivakumar, Crawler-Friendly Web Servers, PAWS 2000";
