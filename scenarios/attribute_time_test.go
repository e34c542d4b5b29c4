package scenarios_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// tailed is the race with more attributes, and other keys.
func tailed(attributes, partitionKey, rowKey string) string {
	return strings.NewReplacer("  age: {", attributes+"\n  age: {", `"{event}"`, partitionKey, `"{bib}__{age}"`, rowKey,
		"partition_key: NYC", "partition_key: 2026-11-01T00").Replace(race)
}

func TestTimesAndTextsOfAFile(t *testing.T) {
	text := tailed("  at: {time: 2026-11-01T00:00:00.5Z, every: 250ms, speed: 0.5}\n  card: {text: \"{event}#{bib:05d}\"}", `"{time:hour}"`, `"{ticks:inverted}_{number}"`)
	s, err := scenarios.Parse("race.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse() = %v; want no error", err)
	}
	if got, want := s.Attributes[2].Values, (keys.Time{Start: 639_290_880_005_000_000, Every: 250 * time.Millisecond, Speed: 0.5}); got != want {
		t.Errorf("at is %+v; want %+v", got, want)
	}
	g, err := s.Generator()
	if err != nil {
		t.Fatal(err)
	}
	card, _ := g.Value("card", 7)
	event, _ := g.Value("event", 7)
	if want := event + "#00008"; card != want {
		t.Errorf("the card of entity 7 is %q; want %q", card, want)
	}
	// 0.5 s, and 250 ms for each of the 7 before.
	at := entity.Ticks(639_290_880_000_000_000 + 5_000_000 + 7*2_500_000)
	if got, want := g.Key(7), (entity.Key{Partition: "2026-11-01T00", Row: inverted(at) + "_7"}); got != want {
		t.Errorf("Key(7) = %v; want %v", got, want)
	}
	// What is offered goes on behind the 200 that were loaded.
	at += 193*2_500_000 + 10_000_000
	if got, want := g.KeyOf(keys.Event{Number: 300, Offered: true, Run: 2 * time.Second}).Row, inverted(at)+"_300"; got != want {
		t.Errorf("the row of an event 2 s into the load is %s; want %s", got, want)
	}
	again, err := scenarios.Parse("race.yaml", []byte(s.Text()))
	if err != nil {
		t.Fatalf("Parse(Text()) = %v; want no error:\n%s", err, s.Text())
	}
	if diff := cmp.Diff(s, again, cmpopts.IgnoreUnexported(scenarios.Scenario{}), cmp.AllowUnexported(keys.Template{}), cmp.Comparer(sameTemplate)); diff != "" {
		t.Errorf("Parse(Text()) differs (-first +second):\n%s", diff)
	}
	if err := s.Set("attributes.at.speed", "60"); err != nil || s.Attributes[2].Values.(keys.Time).Speed != 60 {
		t.Errorf("Set(attributes.at.speed) = %v, and at is %+v; want a speed of 60", err, s.Attributes[2].Values)
	}
	if err := s.Set("attributes.card.text", "{bib}-{uuid}"); err != nil || s.Attributes[3].Values.(keys.Text).Template.String() != "{bib}-{uuid}" {
		t.Errorf("Set(attributes.card.text) = %v, and card is %v", err, s.Attributes[3].Values)
	}
}

// inverted is what {at:inverted} comes to.
func inverted(at entity.Ticks) string { return fmt.Sprintf("%019d", entity.LatestDateTime-at) }

func sameTemplate(a, b keys.Template) bool { return a.String() == b.String() }

func TestDefaultsOfATime(t *testing.T) {
	s, err := scenarios.Parse("race.yaml", []byte(tailed("  at: {time: 2026-11-01T00:00:00Z}", `"{at:hour}"`, `"{bib}"`)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Attributes[2].Values, (keys.Time{Start: 639_290_880_000_000_000, Every: time.Second, Speed: 1}); got != want {
		t.Errorf("at is %+v; want %+v", got, want)
	}
}

func TestFaultsOfTimesAndTexts(t *testing.T) {
	const bib = "  bib: {sequence: 1}\n"
	for _, tt := range []broken{
		{"an instant that does not exist", bib, bib + "  at: {time: 2026-02-30T00:00:00Z}\n",
			[]string{`10:14: time is 2026-02-30T00:00:00Z; expected an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999`}},
		{"a day is no instant", bib, bib + "  at: {time: 2026-02-03}\n",
			[]string{`10:14: time is 2026-02-03; expected an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999`}},
		{"an instant before the calendar of the service", bib, bib + "  at: {time: 1600-12-31T23:59:59Z}\n",
			[]string{`10:14: time is 1600-12-31T23:59:59Z; expected an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999`}},
		{"a distance that goes back", bib, bib + "  at: {time: 2026-11-01T00:00:00Z, every: -1s}\n",
			[]string{`10:43: every is -1s; expected a duration with its unit, such as 4s, 2500ms or 1m30s, from 0s to 24000h0m0s`}},
		{"a speed that is no number", bib, bib + "  at: {time: 2026-11-01T00:00:00Z, speed: fast}\n",
			[]string{`10:43: speed is fast; expected a number such as 38 or 9.5, from 0 to 1000000`}},
		{"a speed of what is no time", bib, "  bib: {sequence: 1, speed: 2}\n",
			[]string{`9:29: speed belongs to time, and this is sequence; expected none`}},
		{"a text of a function that does not exist", bib, bib + "  card: {text: \"é{lowr(event)}\"}\n",
			[]string{`10:19: unknown function "lowr"; did you mean "lower"?`}},
		{"a text of an attribute that does not exist", bib, bib + "  card: {text: \"é{evnt}\"}\n",
			[]string{`10:18: unknown attribute "evnt"; did you mean "event"?`}},
		{"texts in a circle", bib, bib + "  card: {text: \"{club}\"}\n  club: {text: \"{card}\"}\n",
			[]string{`10:16: attribute "card" is derived from itself: card → club → card; expected one that is not`}},
		{"a format that does not exist", `"{bib}__{age}"`, `"{bib}__{age:5d}"`,
			[]string{`18:25: the padding is "5d"; expected a zero, a width from 1 to 64 and a d, such as 05d`}},
		{"a time without a time", `"{bib}__{age}"`, `"{bib}__{time:hour}"`,
			[]string{`18:20: {time} goes by the time of the event, and no attribute is a time; expected one such as at: {time: 2026-01-01T00:00:00Z}`}},
		{"a time alone does not tell entities apart", race, tailed("  at: {time: 2026-11-01T00:00:00Z}", `"{at:hour}"`, `"{at:ticks}_{prefix(bib,1)}"`),
			[]string{`18:3: neither key holds an attribute with a sequence, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}`}},
	} {
		t.Run(tt.name, tt.run)
	}
}

// TestAFilterOfWhatIsDerived tries the texts of a filter ahead of time.
func TestAFilterOfWhatIsDerived(t *testing.T) {
	const get = "- {verb: get, weight: 3}"
	with := func(where string) string {
		return strings.Replace(tailed("  card: {text: \"{event}'{bib:05d}\"}", `"2026-11-01T00"`, `"{bib}__{age}"`),
			get, "- {verb: query, class: partition-scan, where: \""+where+"\"}", 1)
	}
	if _, err := scenarios.Parse("race.yaml", []byte(with("Age gt {hash(card,90)} and Notes ne '{prefix(card,4)}' and Notes ne '{uuid}{number}'"))); err != nil {
		t.Errorf("Parse() of a filter with functions = %v; want no error", err)
	}
	_, err := scenarios.Parse("race.yaml", []byte(with("Age gt {card}")))
	if err == nil || !strings.Contains(err.Error(), `where can become "Age gt Berlin''1000000001"`) {
		t.Errorf("Parse() of a filter that a derived text breaks = %v; want what it can become", err)
	}
}
