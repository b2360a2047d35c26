// A crawl of the Web with colly: a queue a host, each emptied by one goroutine at a time, so that a host has one connection.
// Usage: crawl SEED NAME-SERVER CONNECTIONS TIMEOUT-SECONDS DEPTH
package main

import (
	"context"
	"hash/maphash"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

// Requests before a host waits for the others, as with the other crawlers.
const pagesOfTurn = 10

// A host that fails so often in a row is left.
const mostFailures = 3

type page struct {
	url   string
	depth int
}

type host struct {
	pages    []page
	isActive bool
	failures int
}

type crawl struct {
	lock   sync.Mutex
	cond   *sync.Cond
	seed   maphash.Seed
	seen   map[uint64]struct{}
	hosts  map[string]*host
	turns  []*host
	active int
	depth  int
}

func (c *crawl) add(address string, depth int) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" || depth > c.depth {
		return
	}
	parsed.Fragment = ""
	address = parsed.String()
	hash := maphash.String(c.seed, address)
	c.lock.Lock()
	defer c.lock.Unlock()
	if _, isSeen := c.seen[hash]; isSeen {
		return
	}
	c.seen[hash] = struct{}{}
	of := c.hosts[parsed.Host]
	if of == nil {
		of = &host{}
		c.hosts[parsed.Host] = of
	}
	if of.failures >= mostFailures {
		return
	}
	of.pages = append(of.pages, page{address, depth})
	c.give(of)
}

// Gives a host with pages to the workers.
func (c *crawl) give(of *host) {
	if of.isActive || len(of.pages) == 0 {
		return
	}
	of.isActive = true
	c.turns = append(c.turns, of)
	c.cond.Signal()
}

func (c *crawl) take() *host {
	c.lock.Lock()
	defer c.lock.Unlock()
	for len(c.turns) == 0 {
		if c.active == 0 {
			c.cond.Broadcast()
			return nil
		}
		c.cond.Wait()
	}
	of := c.turns[0]
	c.turns = c.turns[1:]
	c.active++
	return of
}

func (c *crawl) next(of *host) (page, bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(of.pages) == 0 {
		return page{}, false
	}
	first := of.pages[0]
	of.pages = of.pages[1:]
	return first, true
}

func (c *crawl) note(of *host, isAnswered bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if isAnswered {
		of.failures = 0
	} else if of.failures++; of.failures >= mostFailures {
		of.pages = nil
	}
}

func (c *crawl) giveBack(of *host) {
	c.lock.Lock()
	defer c.lock.Unlock()
	of.isActive = false
	c.active--
	c.give(of)
	c.cond.Broadcast()
}

func main() {
	connections, _ := strconv.Atoi(os.Args[3])
	timeoutSeconds, _ := strconv.Atoi(os.Args[4])
	depth, _ := strconv.Atoi(os.Args[5])
	timeout := time.Duration(timeoutSeconds) * time.Second
	c := &crawl{seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, hosts: map[string]*host{}, depth: depth}
	c.cond = sync.NewCond(&c.lock)

	names := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", os.Args[2])
	}}
	dialer := &net.Dialer{Timeout: timeout, Resolver: names}
	collector := colly.NewCollector(colly.AllowURLRevisit(), colly.UserAgent("colly"))
	collector.IgnoreRobotsTxt = false
	collector.DisableCookies()
	collector.SetRequestTimeout(timeout)
	collector.WithTransport(&http.Transport{
		DialContext:         dialer.DialContext,
		MaxIdleConns:        2 * connections,
		MaxIdleConnsPerHost: 1,
		IdleConnTimeout:     5 * time.Second,
	})
	collector.OnHTML("a[href]", func(element *colly.HTMLElement) {
		from, _ := element.Request.Ctx.GetAny("depth").(int)
		c.add(element.Request.AbsoluteURL(element.Attr("href")), from+1)
	})

	c.add(os.Args[1], 0)
	var workers sync.WaitGroup
	for range connections {
		workers.Go(func() {
			for of := c.take(); of != nil; of = c.take() {
				for range pagesOfTurn {
					next, isThere := c.next(of)
					if !isThere {
						break
					}
					ctx := colly.NewContext()
					ctx.Put("depth", next.depth)
					err := collector.Request("GET", next.url, nil, ctx, nil)
					_, isOfNetwork := err.(*url.Error)
					c.note(of, !isOfNetwork)
				}
				c.giveBack(of)
			}
		})
	}
	workers.Wait()
}
