package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/report/document"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
)

// shutdownNotice reports the tables, queues and containers that runs created at a service and that
// were not dropped before the program ends. It is safe for concurrent use.
type shutdownNotice struct {
	run.Remains
	to io.Writer
	// working is set once the command does more than to read its input.
	working atomic.Bool

	mu sync.Mutex
	// shown shares the screen, and is not to draw over the notice; nil if nothing does.
	shown *progressView
	// marked holds the leftovers at the time of the first signal.
	marked []run.Remain
}

// newShutdownNotice returns a notice that writes to a writer.
func newShutdownNotice(to io.Writer) *shutdownNotice { return &shutdownNotice{to: to} }

// Ending says in one line what is dropped and for how long that is tried, and what is kept,
// if there was anything at the mark: how the program was ended, and what leaves it all, are the
// caller's words.
func (f *shutdownNotice) Ending(how, leaves string) {
	var kept, dropped []string
	places := make(map[string]bool)
	f.mu.Lock()
	for _, one := range f.marked {
		switch {
		case one.Kept:
			kept = append(kept, one.String())
		case !one.Doubtful: // which may not be ours
			dropped, places[one.Where] = append(dropped, one.String()), true
		}
	}
	shown := f.shown
	f.mu.Unlock()
	var parts []string
	if len(dropped) > 0 {
		// Where none of the addresses answers.
		longest := campaign.EndingLimit + time.Duration(max(1, len(places))-1)*campaign.EndingStep
		parts = append(parts, fmt.Sprintf("dropping %s, for %s at most", document.Enumerated(dropped), document.Span(longest)),
			leaves+" leaves "+pronoun(len(dropped)))
	}
	if len(kept) > 0 {
		parts = append(parts, "--keep leaves "+document.Enumerated(kept))
	}
	if len(parts) > 0 {
		text := fmt.Sprintf("%s: %s\n", how, strings.Join(parts, "; "))
		write := func() { _, _ = io.WriteString(f.to, text) }
		if shown != nil {
			shown.Aside(write)
		} else {
			write()
		}
	}
}

// WriteLeftovers names what remains at the end, a line each; what was to be kept only if the program ends at once.
func (f *shutdownNotice) WriteLeftovers(atOnce bool) {
	var text strings.Builder
	// Of queues and containers the marker of their table knows.
	var tables []string
	for _, one := range f.List() {
		switch {
		case one.Kept && !atOnce:
		case one.Doubtful:
			fmt.Fprintf(&text, "perhaps left: %s; no reply says whether it was created\n", one)
		default:
			fmt.Fprintf(&text, "left: %s\n", one)
			if option := "--table " + one.Name; one.What == campaign.ResourceTable && !slices.Contains(tables, option) {
				tables = append(tables, option)
			}
		}
	}
	if len(tables) > 0 {
		fmt.Fprintf(&text, "to drop %s: loadgen doctor --clean --yes %s, with the same --target\n", pronoun(len(tables)), strings.Join(tables, " "))
	}
	// A program that ends at once cannot wait for a screen.
	_, _ = io.WriteString(f.to, text.String())
}

func pronoun(number int) string {
	if number == 1 {
		return "it"
	}
	return "them"
}
