//go:build live

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/model"
)

// spellings are a text, and what base64 makes of it wherever it begins among other bytes.
func spellings(text string) []string {
	list := []string{text}
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:min(before, 2)] + text))
		// The first and the last characters depend on the bytes beside the text.
		list = append(list, encoded[(before*8+5)/6:len(encoded)-2])
	}
	return list
}

// Whoever listens in between the client and the service hears keys, and no card: neither
// as it is nor in base64. What was loaded before it was sealed is heard, so that the
// listener is none that is deaf.
func TestLiveSealedIsNotHeard(t *testing.T) {
	t.Parallel()
	s := newService(t, model.Off, 0)
	where, err := url.Parse(s.url)
	require.NoError(t, err)
	const first = 400_000_123_456_000
	// heard carries out some of the scenario and tells which orders' cards are heard
	// in which spelling, of how many orders that are there.
	heard := func(table string, more ...string) (cards []string, orders int) {
		e := newSplice(t, where.Host)
		through := *where
		through.Host = e.Addr().String()
		var stdout, stderr bytes.Buffer
		args := append([]string{"run", "client-side-encryption", "--target", through.String(), "--key-file", s.keyFile, "--yes", "--keep",
			"--table", table, "--out", t.TempDir(), "--set", "phases.load.entities=3", "--set", "phases.shop.for=2s", "--set", "phases.seal.for=1s"}, more...)
		if code := execute(context.Background(), args, nil, &stdout, &stderr); code != codeOk {
			t.Fatalf("run %v = %d\n%s%s", args, code, &stdout, &stderr)
		}
		for key := range s.engine.Entities("races", table) {
			if key == (entity.Key{Partition: "~loadgen", Row: "marker"}) {
				continue
			}
			orders++
			assert.Truef(t, e.has(key.Row), "order %s is in the table, and was not heard", key.Row)
			var number int64
			if _, err := fmt.Sscan(key.Row, &number); err != nil {
				t.Fatal(err)
			}
			for _, spelling := range spellings(fmt.Sprint(first + number - 100_000)) {
				if e.has(spelling) {
					cards = append(cards, key.Row)
				}
			}
		}
		slices.Sort(cards)
		return cards, orders
	}

	// A look for a card has it in its $filter, so that there is none here.
	const quiet = "phases.shop.operations=[{name: order, workflow: seal-put, with: {property: Card%s}, weight: 5}, " +
		"{name: look, workflow: seal-get, with: {property: Card}, weight: 6}]"
	claims := []string{"--set", "expect=[violations == 0]"}
	cards, orders := heard("loadgenSealed", append(claims, "--set", fmt.Sprintf(quiet, ""))...)
	assert.Truef(t, fmt.Sprint(cards) == "[100000 100001 100002]" && orders >= 30,
		"of %d orders the cards of %v are heard; want those of the three that were loaded as they are", orders, cards)
	cards, orders = heard("loadgenClear", append([]string{"--set", "expect=[violations > 0]"}, "--set", fmt.Sprintf(quiet, ", sealed: false"))...)
	assert.Len(t, cards, orders, "cards that are heard where they are stored unsealed; want that of every order")
}
