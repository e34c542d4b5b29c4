//go:build (ci || long) && unix

package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest/resttest"
)

// What it costs the server to keep tables in a folder, against memory, in processor time of
// its own, measured in turns: an insert that is acknowledged before it is on the disk costs
// twice as much at most, a page of 1,000 entities three times; twice that fails the test,
// since others work on the machine. With sync 16 clients share the disk.
func TestCostOfAFolder(t *testing.T) {
	if kind := resttest.ChildOf(); kind != "" {
		serveForParent(t, kind)
		return
	}
	const json, inserts, pages, rounds = "Content-Type: application/json", 1000, 40, 6
	post := func(target, body string, headers ...string) []byte {
		headers = append(headers, json, fmt.Sprint("Content-Length: ", len(body)))
		return []byte(contoso.Head(date, "POST", target, headers...) + body)
	}
	insert := post(races, strings.Replace(registration(0), "00000000", numbered, 1), "Prefer: return-no-content")
	page := []byte(contoso.Head(date, "GET", marathonPage))
	kinds := []string{"memory", "nosync", "sync"}
	var children []*child
	var inserted, paged [3]float64
	for _, kind := range kinds {
		c := start(t, kind)
		c.send(t, 0, 1, post("/contoso/Tables", `{"TableName":"Races"}`), 201)
		children = append(children, c)
	}
	number := int64(0)
	for range rounds {
		for i, c := range children {
			before := c.used(t)
			c.send(t, number, inserts, insert, 204)
			inserted[i] += c.used(t) - before
		}
		number += inserts
	}
	for range rounds {
		for i, c := range children {
			before := c.used(t)
			c.send(t, 0, pages, page, 200)
			paged[i] += c.used(t) - before
		}
	}
	for i, kind := range kinds {
		ofInsert, ofPage := inserted[i]/inserted[0], paged[i]/paged[0]
		t.Logf("%s: insert %.1f µs, page of 1,000 %.0f µs of the server's processor time; %.2f and %.2f times memory's",
			kind, inserted[i]/rounds/inserts, paged[i]/rounds/pages, ofInsert, ofPage)
		assert.Truef(t, (kind != "nosync" || ofInsert <= 2*2) && ofPage <= 2*3,
			"%s costs %.2f times memory for an insert and %.2f times for a page; aims 2 and 3", kind, ofInsert, ofPage)
	}
}
