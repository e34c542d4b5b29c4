package replay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/accesslog"
	"loadgen/scenarios"
	"loadgen/scenarios/logs/replay"
)

// A likeness is a sound scenario with the shares, the mix and the rates of the log, counted
// here by hand, and holds no key of it.
func TestALikenessHoldsNoKey(t *testing.T) {
	var entries []accesslog.Entry
	for i := range 60 { // 30 in the first second, 10 in the second, none in the third, 20 in the fourth
		at := []int{i * 33, 1000 + (i-30)*99, 3000 + (i-40)*49}[min(2, i/30+i/40)]
		operation, partition := "InsertEntity", "secret-b"
		if i%3 == 0 {
			operation = "QueryEntity"
		}
		if i%4 > 0 {
			partition = "secret-a"
		}
		entries = append(entries, line(at, operation, partition, fmt.Sprint("row-", i), 200, fmt.Sprint(i)))
	}
	text := string(replay.Likeness(gather(t, entries...)))
	for _, want := range []string{"partition: {list: [p1, p2], weights: [45, 15]}", "rates: [30, 10, 0.001, 20], each: 1s", "{verb: insert, weight: 40}", "{verb: get, weight: 20}",
		"size: 951", "load: {entities: 1000}", "60 operations on 2 partitions"} {
		assert.Containsf(t, text, want, "the likeness lacks %q:\n%s", want, text)
	}
	assert.Truef(t, !strings.Contains(text, "secret") && !strings.Contains(text, "row-"),
		"the likeness holds a key of the log:\n%s", text)
	_, err := scenarios.Parse("like.yaml", []byte(text))
	assert.Truef(t, err == nil, "the likeness is no sound scenario: %v\n%s", err, text)
}

// A log of thousands of partitions and of hours has a likeness that is small.
func TestALikenessIsSmall(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	var entries []accesslog.Entry
	for i := range 5000 {
		entries = append(entries, line(i*2000, "InsertEntity", fmt.Sprint("k", chance.IntN(3000)), fmt.Sprint(i), 201, fmt.Sprint(i)))
	}
	text := string(replay.Likeness(gather(t, entries...)))
	_, err := scenarios.Parse("like.yaml", []byte(text))
	assert.Truef(t, err == nil && len(text) <= 32<<10 && strings.Contains(text, "each: 10s"),
		"%v, %d bytes; want a sound scenario of 32 KiB at most, with rates of 10 s", err, len(text))
}
