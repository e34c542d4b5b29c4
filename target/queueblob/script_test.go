package queueblob_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results/resultstest"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// TestScripts runs each situation of testdata: requests, each followed by its golden
// reply. They are
//
//	put QUEUE BODY [hidden=D]             a message
//	receive QUEUE [most=N] [hidden=D]     reply: each BODY and how often it was received
//	delete QUEUE BODY N                   with the receipt of its N-th reception here
//	write CONTAINER NAME BODY [match=N] [NAME=VALUE …]
//	                                      a blob with metadata; match is the N-th write of
//	                                      it here that was carried out, "absent" or "gone"
//	read CONTAINER NAME                   reply: the body and the metadata
//	list CONTAINER PREFIX [after=NAME] [most=N]
//	erase CONTAINER NAME                  a blob
//	drop queue|container NAME
//	wait D                                let time pass
//
// What is written "-" is empty, what is written xN is N letters long.
func TestScripts(t *testing.T) {
	resultstest.CheckGoldens(t, "testdata/*.txt", func(t *testing.T, text string) string { return play(t, newDesk(), text) })
}

// desk is where a script is played.
type desk struct {
	do   func(b *target.Beside) target.Outcome
	wait func(d time.Duration)
	// store returns the name of a queue or a container of the script.
	store func(name string) string
	// receipts are those of messages by their bodies, in their order; etags those of
	// blobs by container and name.
	receipts map[string][]target.Found
	etags    map[string][]string
}

// newDesk returns that of a stand-in.
func newDesk() *desk {
	m, now := queueblob.NewMemory(), clock.Instant(0)
	return &desk{
		do: func(b *target.Beside) target.Outcome {
			o, done := m.Submit(now, &target.Operation{Beside: b})
			if done != now.Add(queueblob.Answer) {
				panic("an answer comes at another time than is told")
			}
			return o
		},
		wait:  func(d time.Duration) { now = now.Add(d) },
		store: func(name string) string { return name },
	}
}

// play copies a script, with the replies ("  = …") made anew.
func play(t *testing.T, d *desk, script string) string {
	t.Helper()
	d.receipts, d.etags = map[string][]target.Found{}, map[string][]string{}
	return resultstest.Replay(script, func(command []string) []string {
		if command[0] == "wait" {
			d.wait(must(time.ParseDuration(command[1])))
			return nil
		}
		b := d.request(t, command)
		o := d.do(b)
		d.remember(t, b, &o)
		return []string{reply(b, &o)}
	})
}

// request returns that of a line.
func (d *desk) request(t *testing.T, f []string) *target.Beside {
	t.Helper()
	b := &target.Beside{Store: d.store(f[1])}
	rest := f[min(len(f), 3):]
	text := ""
	if len(f) > 2 {
		text = long(f[2])
	}
	switch f[0] {
	case "put":
		b.Verb, b.Body = target.PutMessage, []byte(text)
	case "receive":
		b.Verb, b.Hidden, rest = target.ReceiveMessages, time.Second, f[2:]
	case "delete":
		b.Verb, b.Name, b.Receipt, rest = target.DeleteMessage, "0", "none", nil
		if known := d.receipts[b.Store+" "+text]; len(known) > 0 {
			one := known[must(strconv.Atoi(f[3]))-1]
			b.Name, b.Receipt = one.Name, one.Receipt
		}
	case "write":
		b.Verb, b.Name, b.Body, rest = target.PutBlob, text, []byte(long(f[3])), f[4:]
	case "read":
		b.Verb, b.Name = target.GetBlob, text
	case "list":
		b.Verb, b.Name = target.ListBlobs, text
	case "erase":
		b.Verb, b.Name = target.DeleteBlob, text
	case "drop":
		b.Verb, b.Store = target.DropContainer, d.store(f[2])
		if f[1] == "queue" {
			b.Verb = target.DropQueue
		}
	default:
		t.Fatalf("unknown request %q", f[0])
	}
	for _, one := range rest {
		d.set(t, b, one)
	}
	return b
}

// set sets what a request has beside its body.
func (d *desk) set(t *testing.T, b *target.Beside, text string) {
	t.Helper()
	switch name, value, _ := strings.Cut(text, "="); {
	case name == "hidden":
		b.Hidden = must(time.ParseDuration(value))
	case name == "most":
		b.Most = must(strconv.Atoi(value))
	case name == "after":
		b.After = value
	case name == "match" && value == "absent":
		b.Match = target.IfAbsent
	case name == "match" && value == "gone":
		b.Match = "0xDEAD"
	case name == "match":
		b.Match = d.etags[b.Store+"/"+b.Name][must(strconv.Atoi(value))-1]
	default:
		if b.Metadata == nil {
			b.Metadata = map[string]string{}
		}
		b.Metadata[name] = strings.ReplaceAll(long(value), "+", " ")
	}
}

// remember keeps what later lines name.
func (d *desk) remember(t *testing.T, b *target.Beside, o *target.Outcome) {
	for _, one := range o.Found {
		switch b.Verb {
		case target.ReceiveMessages:
			at := b.Store + " " + string(one.Body)
			d.receipts[at] = append(d.receipts[at], one)
		case target.PutBlob:
			at := b.Store + "/" + b.Name
			d.etags[at] = append(d.etags[at], one.ETag)
		case target.GetBlob, target.ListBlobs:
			// A list has the tag without the quotation marks of a header.
			if known := d.etags[b.Store+"/"+one.Name]; len(known) > 0 {
				assert.Equalf(t, strings.Trim(known[len(known)-1], `"`), strings.Trim(one.ETag, `"`), "%v of %s", b.Verb, one.Name)
			}
		}
	}
}

// reply shows an outcome: nothing in it is another each time.
func reply(b *target.Beside, o *target.Outcome) string {
	text := fmt.Sprint(o.Status)
	if o.Code != "" {
		return text + " " + string(o.Code)
	}
	for _, one := range o.Found {
		switch b.Verb {
		case target.ReceiveMessages:
			text += fmt.Sprintf(" %s (%d)", short(one.Body), one.Received)
		case target.GetBlob:
			text += " " + short(one.Body) + metadata(one.Metadata)
		case target.ListBlobs:
			text += fmt.Sprintf(" %s (%d bytes%s)", one.Name, one.Size, metadata(one.Metadata))
		}
		if one.Size != int64(len(one.Body)) && b.Verb != target.ListBlobs && b.Verb != target.PutBlob {
			text += fmt.Sprintf(" of another size, %d", one.Size)
		}
		if b.Verb != target.ReceiveMessages && one.ETag == "" {
			text += " without an ETag"
		}
	}
	return text
}

func metadata(of map[string]string) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(of)) {
		text += ", " + name + "=" + of[name]
	}
	return text
}

// long returns what a word of a script stands for.
func long(word string) string {
	if n, err := strconv.Atoi(strings.TrimPrefix(word, "x")); err == nil && word[0] == 'x' {
		return strings.Repeat("x", n)
	}
	if word == "-" {
		return ""
	}
	return word
}

// short is the other way about.
func short(body []byte) string {
	if len(body) > 20 && strings.Trim(string(body), "x") == "" {
		return fmt.Sprintf("x%d", len(body))
	}
	return strconv.Quote(string(body))
}
