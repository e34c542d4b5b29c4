package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

var (
	archivePlace = required("place", "The archive's place in the design.", OfPlace)
	archiveQueue = Parameter{Name: "queue", Says: "The message queue, the same in all operations.", Type: OfName, Default: "moves"}
)

// archiveKinds move entities to an archive in another partition, mostly of another table, so that
// no transaction spans both: through a queue, from which another worker takes over after a crash,
// or without it.
var archiveKinds = []Kind{{
	Name: "archive-request", Says: "Enqueues a request to move an entity to the archive.",
	Parameters: []Parameter{archivePlace, archiveQueue,
		share("malformed", "The share of malformed messages.")},
	Counters: []string{"requested", "malformed"}, Serves: archiveServes,
	Stores: queues("queue"),
	// The client ends once the queue has the message. A repeated message repeats the move, which is
	// harmless.
	New: func(c *Call) *Procedure {
		asks := "requested"
		body, err := json.Marshal(moveOf(c.Subject, c.Arguments.Text("place")))
		if err != nil {
			panic("workflow: encode JSON: " + err.Error())
		}
		if c.Happens("malformed") {
			asks, body = "malformed", []byte(fmt.Sprintf("message %d asks for nothing", c.K))
		}
		message := put(c.StoreOf(c.Arguments.Text("queue")), body, 0)
		return NewProcedure(func(t *Tx) {
			t.Send(message)
			t.Add(asks, 1)
		}, message)
	},
}, {
	Name: "archive-work", Says: "Receives a message, copies its entity, deletes the original, deletes the message.",
	Parameters: []Parameter{archivePlace, archiveQueue,
		duration("hidden", "The visibility timeout of a received message.", time.Second, 2*time.Minute, "30s"),
		count("most", "Messages per request.", 1, 32, "1"),
		count("attempts", "Maximum receives before a message goes to the poison queue; 0: unlimited.", 0, 100, "5"),
		{Name: "poison", Says: "The poison queue.", Type: OfName, Default: "poison"},
		share("killed", "The share of messages at which the worker crashes."),
		{Name: "after", Says: "The step after which the worker crashes.",
			Type: OfChoice, Choices: append([]string{anyStep}, archiveSteps()...), Default: anyStep},
	},
	Serves:   archiveServes,
	Counters: []string{"idle", "again", "moved", "repeated", "killed", "malformed", "poisoned", "overtaken"},
	Stores:   queues("queue", "poison"),
	New: func(c *Call) *Procedure {
		w, m := newArchiveWorker(c.Setting, c.Arguments), moveOf(c.Subject, c.Arguments.Text("place"))
		messages := receive(w.queue, c.Arguments.Count("most"), c.Arguments.Duration("hidden"))
		return NewProcedure(func(t *Tx) {
			draw := c.Chance
			crash := func() string {
				crashes, step := draw.Float64() < c.Arguments.Share("killed"), archiveSteps()[draw.IntN(len(archiveSteps()))]
				if after := c.Arguments.Text("after"); after != anyStep {
					step = after
				}
				if !crashes {
					return ""
				}
				return step
			}
			received := t.Send(messages).Found
			for _, m := range received {
				w.carryOut(t, m, crash)
			}
			if len(received) == 0 {
				t.Add("idle", 1)
			}
		}, messages, Read(w.current, m.From), w.copied(m.To, nil), WriteOne(w.current, deletion(m.From), 404), remove(w.queue, target.Found{}))
	},
	Check: newArchived,
}, {
	Name: "archive-look", Says: "Reads an entity in both tables.", Reads: true,
	Parameters: []Parameter{archivePlace,
		choice("first", "The table to read first.", "current", "archive"),
		duration("pause", "The pause between the two reads.", 0, time.Minute, "0s")},
	Counters: []string{"current", "archive", "both", "neither"}, Serves: archiveServes,
	// One that reads where the entity was first can see it twice, but not miss it, for it is copied
	// before it is deleted; one that reads the archive first can miss it.
	New: func(c *Call) *Procedure {
		place := c.Arguments.Text("place")
		current, archive := Read(c.Table, c.Subject.Key("")), Read(c.TableOf(place), c.Subject.Key(place))
		first, second, found := current, archive, []string{"neither", "archive", "current", "both"}
		if c.Arguments.Text("first") == "archive" {
			first, second, found = archive, current, []string{"neither", "current", "archive", "both"}
		}
		return NewProcedure(func(t *Tx) {
			at := 0
			if t.Send(first).OK() {
				at += 2
			}
			t.Sleep(c.Arguments.Duration("pause"))
			if t.Send(second).OK() {
				at++
			}
			t.Add(found[at], 1)
		}, first, second)
	},
}, {
	Name: "archive-naive", Says: "Moves an entity to the archive without a queue.",
	Parameters: []Parameter{archivePlace,
		choice("first", "The first step: copy or delete.", "copy", "delete"),
		share("killed", "The share of clients that crash between the writes.")},
	Counters: []string{"moved", "repeated", "killed"}, Serves: archiveServes,
	New: func(c *Call) *Procedure {
		place := c.Arguments.Text("place")
		m := moveOf(c.Subject, place)
		copied := func(properties []entity.Property) Request {
			return WriteOne(c.TableOf(place), entity.Change{Verb: entity.Insert, Key: m.To, Properties: properties})
		}
		read, deleted := Read(c.Table, m.From), WriteOne(c.Table, deletion(m.From), 404)
		return NewProcedure(func(t *Tx) {
			original := t.Send(read)
			if original.Missing() {
				t.Add("repeated", 1)
				return
			}
			first, second := copied(t.properties(original)), deleted
			if c.Arguments.Text("first") == "delete" {
				first, second = second, first
			}
			if reply := t.Send(first); reply.Status == 404 && !reply.Silent {
				t.Add("repeated", 1)
				return
			}
			t.CrashIf(c.Happens("killed"))
			t.Send(second)
			t.Add("moved", 1)
		}, read, copied(nil), deleted)
	},
	Check: newArchived,
}}

// archiveServes returns what a design lacks for a move: entities to be moved, and an
// archive that has a key of its own for each of them.
func archiveServes(d *Design, a Arguments) []Lack {
	place := a.Text("place")
	p, own := d.Places[place], d.Own
	switch missing := slices.IndexFunc(own.names(), func(name string) bool { return !slices.Contains(p.names(), name) }); {
	case !d.Loaded:
		return lackIf(true, "", "nothing to move; expected a load phase before")
	case p.Table == own.Table && p.PartitionKey == own.PartitionKey && p.RowKey == own.RowKey:
		return lackIf(true, "place", "%s has the entities' own keys and table; expected others", place)
	case missing >= 0:
		return lackIf(true, "place", "the keys of %s lack {%s}; expected all attributes of the entities' keys", place, own.names()[missing])
	}
	return nil
}

// move is what a message asks for: that an entity leaves one key for another, which may
// be the same one in another table.
type move struct {
	Asks string     `json:"asks"`
	From entity.Key `json:"from"`
	To   entity.Key `json:"to"`
}

// asksArchive is what every message says that can be carried out.
const asksArchive = "archive"

func moveOf(s Subject, place string) move { return move{asksArchive, s.Key(""), s.Key(place)} }

// parseMove reads a message, and reports whether it can be carried out.
func parseMove(body []byte) (move, bool) {
	var m move
	err := json.Unmarshal(body, &m)
	return m, err == nil && m.Asks == asksArchive
}
