/** How the paper of crawler-friendly servers is cited. */
export const brandmanPaper = "Brandman, Cho, Garcia-Molina, Shivakumar, Crawler-Friendly Web Servers, PAWS 2000";

/** How the paper of refresh policies is cited. */
export const refreshPaper =
  "Cho, Garcia-Molina, Effective Page Refresh Policies for Web Crawlers, ACM TODS 28(4), 2003";

/** How the paper of estimators is cited. */
export const estimatorPaper = "Cho, Garcia-Molina, Estimating Frequency of Change, ACM TOIT 3(3), 2003";

/** How the paper of signals is cited. */
export const signalPaper =
  "Busa-Fekete, Zimmert, Gyorgy and others, Learning to Crawl: Optimal Freshness Crawling with Signals, arXiv 2502.02430, 2025";

/** How the thesis on the graph of the Web is cited. */
export const chenPaper = "Chen, An Open Solution to Discover the Graph Structure of World Wide Web, thesis, NCSU";
