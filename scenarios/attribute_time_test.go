package scenarios_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// tailed is the race with more attributes, and other keys.
func tailed(attributes, partitionKey, rowKey string) string {
	return strings.NewReplacer("  age: {", attributes+"\n  age: {", `"{event}"`, partitionKey, `"{bib}__{age}"`, rowKey,
		"partition_key: NYC", "partition_key: 2026-11-01T00").Replace(race)
}

func TestTimesAndTextsOfAFile(t *testing.T) {
	text := tailed("  at: {time: 2026-11-01T00:00:00.5Z, every: 250ms, speed: 0.5}\n  card: {text: \"{event}#{bib:05d}\"}", `"{time:hour}"`, `"{ticks:inverted}_{number}"`)
	s := reread(t, text)
	assert.Equal(t, keys.Time{Start: 639_290_880_005_000_000, Every: 250 * time.Millisecond, Speed: 0.5}, s.Attributes[2].Values)
	g, err := s.Generator()
	require.NoError(t, err)
	card, _ := g.Value("card", 7)
	event, _ := g.Value("event", 7)
	assert.Equal(t, event+"#00008", card, "the card of entity 7")
	// 0.5 s, and 250 ms for each of the 7 before.
	at := entity.Ticks(639_290_880_000_000_000 + 5_000_000 + 7*2_500_000)
	assert.Equal(t, entity.Key{Partition: "2026-11-01T00", Row: inverted(at) + "_7"}, g.Key(7), "Key(7)")
	// What is offered goes on behind the 200 that were loaded.
	at += 193*2_500_000 + 10_000_000
	assert.Equal(t, inverted(at)+"_300", g.KeyOf(keys.Event{Number: 300, Offered: true, Run: 2 * time.Second}).Row,
		"the row of an event 2 s into the load")
	require.NoError(t, s.Set("attributes.at.speed", "60"))
	assert.EqualValues(t, 60, s.Attributes[2].Values.(keys.Time).Speed)
	require.NoError(t, s.Set("attributes.card.text", "{bib}-{uuid}"))
	assert.Equal(t, "{bib}-{uuid}", s.Attributes[3].Values.(keys.Text).Template.String())
}

// inverted is what {at:inverted} comes to.
func inverted(at entity.Ticks) string { return fmt.Sprintf("%019d", entity.LatestDateTime-at) }

func TestDefaultsOfATime(t *testing.T) {
	s := parsed(t, tailed("  at: {time: 2026-11-01T00:00:00Z}", `"{at:hour}"`, `"{bib}"`))
	assert.Equal(t, keys.Time{Start: 639_290_880_000_000_000, Every: time.Second, Speed: 1}, s.Attributes[2].Values)
}
