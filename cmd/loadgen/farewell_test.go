package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
)

// What is said of what a run has made is what becomes of it.
func TestFarewell(t *testing.T) {
	table := func(account int, name, where string) run.Remain {
		return run.Remain{Made: campaign.Made{What: campaign.MadeTable, Name: name, Account: account}, Where: where}
	}
	kept, doubtful := table(0, "loadgena", "http://one"), table(0, "loadgena", "http://one")
	kept.Kept, doubtful.Doubtful = true, true
	queue := run.Remain{Made: campaign.Made{What: campaign.MadeQueue, Name: "loadgena-moves"}, Where: "http://queues"}
	for _, row := range []struct {
		sentence     string
		made         []run.Remain
		ending       string
		left, atOnce string
	}{
		{"nothing was made", nil, "", "", ""},
		{"a table", []run.Remain{table(0, "loadgena", "http://one")}, "interrupted: dropping table loadgena at http://one, for 7 s at most; Ctrl-C again leaves it\n",
			"left: table loadgena at http://one\nto drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n", "the same"},
		{"the same name in two accounts, and a queue", []run.Remain{table(0, "loadgena", "http://one"), table(1, "loadgena", "http://two"), queue},
			"interrupted: dropping table loadgena at http://one, table loadgena at http://two and queue loadgena-moves at http://queues, for 17 s at most; Ctrl-C again leaves them\n",
			"left: table loadgena at http://one\nleft: table loadgena at http://two\nleft: queue loadgena-moves at http://queues\n" +
				"to drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n", "the same"},
		{"a table that is to be kept", []run.Remain{kept}, "interrupted: --keep leaves table loadgena at http://one\n", "",
			"left: table loadgena at http://one\nto drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n"},
		{"a table of which nobody knows whose it is", []run.Remain{doubtful}, "",
			"perhaps left: table loadgena at http://one; whether it was made nobody answered\n", "the same"},
	} {
		var said bytes.Buffer
		f := newShutdownNotice(&said)
		next := func() string {
			text := said.String()
			said.Reset()
			return text
		}
		for _, one := range row.made {
			f.Hold(one, true)
		}
		if row.atOnce == "the same" {
			row.atOnce = row.left
		}
		f.marked = f.List()
		f.Ending("interrupted", "Ctrl-C again")
		assert.Equalf(t, row.ending, next(), "%s: at the end it says", row.sentence)
		f.Left(false)
		assert.Equalf(t, row.left, next(), "%s: of what is left it says", row.sentence)
		f.Left(true)
		assert.Equalf(t, row.atOnce, next(), "%s: of what is left at once it says", row.sentence)
		for _, one := range row.made {
			f.Hold(one, false)
		}
		f.Ending("interrupted", "Ctrl-C again")
		assert.Equalf(t, row.ending, next(), "%s: once all is gone it says of the mark", row.sentence)
		f.marked = f.List()
		f.Ending("interrupted", "Ctrl-C again")
		f.Left(true)
		assert.Emptyf(t, next(), "%s: once all is gone it says", row.sentence)
	}
}

// What is said beside bars stays: the next drawing begins below it.
func TestAsideLeavesWhatWasSaid(t *testing.T) {
	var to bytes.Buffer
	b := &bars{to: &to, columns: func() int { return 0 }}
	p := &progressView{screen: b}
	b.draw("a bar", "a status")
	p.Aside(func() { to.WriteString("interrupted\n") })
	b.draw("a bar", "a status")
	b.draw("a bar", "a status")
	assert.Equal(t, "a bar\na status\ninterrupted\na bar\na status\n\x1b[2A\x1b[Ja bar\na status\n", to.String(), "the terminal")
}
