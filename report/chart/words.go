package chart

import (
	"fmt"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
	"loadgen/results"
)

// The maximum number of characters of a key, whose end may be what distinguishes it, and of a name.
const (
	maxKey  = 60
	maxName = 32
)

// clean returns a text of the record as one line of at most a number of printable characters. What cannot be printed,
// such as a control character or invalid UTF-8, becomes a question mark, which every font has and XML can contain.
func clean(word string, maxLength int) string {
	var b strings.Builder
	length := 0
	for _, r := range word {
		if length == maxLength {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			r = '?'
		}
		b.WriteRune(r)
		length++
	}
	return b.String()
}

// fit shortens a text until it is no wider than the room.
func fit(style text.Style, words string, room vg.Length) string {
	if style.Width(words) <= room {
		return words
	}
	runes := []rune(words)
	low, high := 0, len(runes)
	for low < high {
		middle := (low + high + 1) / 2
		if style.Width(string(runes[:middle])+"…") <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…"
}

// wrap breaks a text between its words into lines that are no wider than the room. The last one is shortened to it.
func wrap(style text.Style, words string, room vg.Length) []string {
	var lines []string
	last := -1
	for _, word := range strings.Fields(words) {
		if last < 0 || style.Width(lines[last]+" "+word) > room {
			lines, last = append(lines, word), last+1
		} else {
			lines[last] += " " + word
		}
	}
	if last >= 0 {
		lines[last] = fit(style, lines[last], room)
	}
	return lines
}

// describe names the run of a chart. An invalid run says so first, where no shortening removes it.
func describe(record *results.Record) string {
	m := &record.Manifest
	validity, partition, time := "", "no single partition", ""
	if record.Validity != results.Valid && record.Validity != "" {
		validity = clean(record.Validity, maxName) + " run"
	}
	scenario := clean(m.Scenario.Name, maxName)
	if scenario == "" {
		scenario = "without a name"
	}
	switch {
	case m.Spread != nil:
		partition = document.Counted(m.Spread.Partitions, "partition")
	case m.PartitionKey != "":
		partition = fmt.Sprintf("partition “%s”", clean(m.PartitionKey, maxKey))
	}
	if m.Time != "" {
		time = clean(m.Time, maxName) + " time"
	}
	return document.Join("  ·  ", validity, "scenario "+scenario, partition, clean(m.Target, maxName), time)
}
