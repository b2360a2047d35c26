// Follows all links of a site, keeps nothing: colly-crawler URL CONNECTIONS
package main

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

func main() {
	start, err := url.Parse(os.Args[1])
	if err != nil {
		panic(err)
	}
	connections, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var pages atomic.Int64
	crawler := colly.NewCollector(colly.AllowedDomains(start.Hostname(), start.Host), colly.Async(true))
	crawler.IgnoreRobotsTxt = false
	if err := crawler.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: connections}); err != nil {
		panic(err)
	}
	crawler.OnHTML("a[href]", func(element *colly.HTMLElement) {
		_ = element.Request.Visit(element.Attr("href"))
	})
	crawler.OnResponse(func(*colly.Response) { pages.Add(1) })
	if err := crawler.Visit(start.String()); err != nil {
		panic(err)
	}
	crawler.Wait()
	fmt.Println(pages.Load())
}
