//go:build ci && unix && !race

package rest_test

import (
	"slices"
	"strings"
	"testing"
)

// What a request costs the server, of what it costs a bare handler of net/http in the same
// minute, may grow by as much before it fails: the ratios are medians of ten rounds in turn.
const (
	insertRatio, getRatio = 1.45, 0.85
	mostGrown             = 1.15
	ratioRounds           = 10
	ratioRequests         = 2500
)

// An insert and a get cost the server little more than a handler of net/http's that does
// nothing, each in a process of its own: processor time, the kernel's too.
func TestServerCPUBesideABareHandler(t *testing.T) {
	const point = "/contoso/Races(PartitionKey='2011%20New%20York%20City%20Marathon__Full',RowKey='00000001__Kim__F__37')"
	const json = "Content-Type: application/json"
	insert := raw("POST", races, strings.Replace(registration(0), "00000000", numbered, 1), json, "Prefer: return-no-content")
	get := raw("GET", point, "")
	bare, ours := start(t, "bare"), start(t, "rest")
	ours.send(t, 1, raw("POST", "/contoso/Tables", `{"TableName":"Races"}`, json), "201")
	var inserted int64
	cost := func(c *child, request []byte, status string) float64 {
		before := c.used(t)
		c.sendFrom(t, inserted, ratioRequests, request, status)
		return c.used(t) - before
	}
	var inserts, gets []float64
	for round := range ratioRounds + 1 {
		plain := cost(bare, insert, "204")
		full := cost(ours, insert, "204")
		inserted += ratioRequests
		plainGet := cost(bare, get, "200")
		fullGet := cost(ours, get, "200")
		if round > 0 { // the first warms up
			inserts, gets = append(inserts, full/plain), append(gets, fullGet/plainGet)
		}
	}
	for _, row := range []struct {
		name   string
		ratios []float64
		known  float64
	}{{"an insert", inserts, insertRatio}, {"a get", gets, getRatio}} {
		slices.Sort(row.ratios)
		got := (row.ratios[ratioRounds/2-1] + row.ratios[ratioRounds/2]) / 2
		t.Logf("%s costs the server %.2f of what a bare handler does, by rounds %.2f", row.name, got, row.ratios)
		if got > row.known*mostGrown {
			t.Errorf("%s costs the server %.2f of what a bare handler does; want %.2f at most, %.2f and a seventh", row.name, got, row.known*mostGrown, row.known)
		}
	}
}
