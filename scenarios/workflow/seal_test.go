package workflow_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// order returns one with a card.
func order(number int) thing {
	return thing{number: uint64(number), keys: map[string]entity.Key{"": {Partition: fmt.Sprint("customer ", number%3), Row: fmt.Sprintf("%05d", number)}},
		properties: []entity.Property{{Name: "Card", Value: entity.String(fmt.Sprint("4000-1234-", number))}, {Name: "Paid", Value: entity.Boolean(true)}}}
}

var card = map[string]string{"property": "Card"}

// stored returns an entity as the table has it.
func (w *world) stored(key entity.Key) entity.Packed {
	w.t.Helper()
	o := w.do(&target.Operation{Verb: entity.Get, Table: "Test", Change: entity.Change{Verb: entity.Get, Key: key}})
	if o.Status != 200 {
		w.t.Fatalf("reading %v: %d %s", key, o.Status, o.Code)
	}
	return o.Entity
}

// write writes an entity as it is said.
func (w *world) write(verb entity.Verb, key entity.Key, properties []entity.Property) {
	w.t.Helper()
	change := entity.Change{Verb: verb, Key: key, Properties: properties}
	if o := w.do(&target.Operation{Verb: verb, Table: "Test", Change: change}); o.Status >= 300 {
		w.t.Fatalf("writing %v: %d %s", key, o.Status, o.Code)
	}
}

func unpacked(t *testing.T, p entity.Packed) []entity.Property {
	t.Helper()
	list, err := p.Unpack(nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// However attempts interleave and get lost, what was put or replaced holds no card that
// can be read, and each opens.
func TestSealedIsReadByTheKeyAlone(t *testing.T) {
	for _, verb := range []string{"insert", "insert-or-replace"} {
		w := newWorld(t)
		var loaded []workflow.Subject
		for k := range 20 {
			loaded = append(loaded, order(k))
			w.write(entity.Insert, order(k).Key(""), order(k).Properties())
		}
		s := w.setting(nil, loaded...)
		var all []workflow.Workflow
		for k := range 20 {
			all = append(all, perform(t, s, "seal-replace", uint64(k), card, thing{}))
			all = append(all, perform(t, s, "seal-put", uint64(100+k), map[string]string{"property": "Card", "verb": verb}, order(100+k)))
		}
		for k, ok := range w.race(3, 6, 30, all) {
			if !ok {
				t.Errorf("%s: operation %d did not end well", verb, k)
			}
		}
		w.holds(workflow.Find("seal-put").Check(s, card), 40)
		for _, k := range []int{0, 19, 100, 119} {
			get := perform(t, s, "seal-get", uint64(k), card, order(k))
			if w.run(get); fmt.Sprint(counted(get)) != "map[opened:1]" {
				t.Errorf("%s: reading order %d: %v; want it opened", verb, k, counted(get))
			}
			packed := w.stored(order(k).Key(""))
			if value, _ := packed.Lookup("Card"); value.Type() != entity.TypeBinary || bytes.Contains(packed, []byte("4000-1234")) {
				t.Errorf("%s: order %d has a card of type %v, or one that can be read", verb, k, value.Type())
			}
			if paid, _ := packed.Lookup("Paid"); !paid.Bool() {
				t.Errorf("%s: order %d lost another property", verb, k)
			}
		}
	}
}

// What was sealed opens in its own place alone, and unaltered.
func TestSealedOpensInItsOwnPlaceAlone(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	for _, k := range []int{1, 4} {
		w.run(perform(t, s, "seal-put", uint64(k), card, order(k)))
	}
	one, other := unpacked(t, w.stored(order(1).Key(""))), unpacked(t, w.stored(order(4).Key("")))
	with := func(list []entity.Property, name string, v entity.Value) []entity.Property {
		changed := append([]entity.Property(nil), list...)
		for i := range changed {
			if changed[i].Name == name {
				changed[i].Value = v
			}
		}
		return changed
	}
	find := func(list []entity.Property, name string) entity.Value {
		for _, p := range list {
			if p.Name == name {
				return p.Value
			}
		}
		t.Fatalf("there is no %s", name)
		return entity.Value{}
	}
	bent := find(one, "Card").Bytes()
	bent[len(bent)-1] ^= 1
	for _, row := range []struct {
		sentence   string
		properties []entity.Property
		want       string
	}{
		{"as it was written", one, "opened"},
		{"with a bit of the card changed", with(one, "Card", entity.Binary(bent)), "broken"},
		{"with the card of another order", with(one, "Card", find(other, "Card")), "broken"},
		{"with the content key of another order", with(one, "SealKey", find(other, "SealKey")), "broken"},
		{"with all of another order", other, "broken"},
		{"with a card that is too short", with(one, "Card", entity.Binary([]byte{1})), "broken"},
		{"with no content key", with(one, "SealKey", entity.String("")), "broken"},
		{"with the card as it is", order(1).Properties(), "clear"},
		{"without a card", order(1).Properties()[1:], "missing"},
		{"with the card of somebody else, sealed for this place", nil, "broken"},
	} {
		if row.properties == nil {
			wrong := order(1)
			wrong.properties = order(2).properties
			w.run(perform(t, s, "seal-put", 9, map[string]string{"property": "Card", "verb": "insert-or-replace"}, wrong))
		} else {
			w.write(entity.InsertOrReplace, order(1).Key(""), row.properties)
		}
		get := perform(t, s, "seal-get", 0, card, order(1))
		if w.run(get); fmt.Sprint(counted(get)) != "map["+row.want+":1]" {
			t.Errorf("%s: %v; want %s", row.sentence, counted(get), row.want)
		}
	}
}

// Each entity has a content key of its own, and a run repeats to the byte.
func TestSealingRepeats(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	sent := func(k uint64) string {
		op := perform(t, s, "seal-put", k, card, order(1)).Begin()
		return fmt.Sprint(op.Change.Properties)
	}
	if first, again := sent(1), sent(1); first != again {
		t.Error("one operation seals in two ways")
	}
	parts := func(k uint64) map[string]string {
		found := map[string]string{}
		for _, p := range perform(t, s, "seal-put", k, card, order(1)).Begin().Change.Properties {
			found[p.Name] = string(p.Value.Bytes())
		}
		return found
	}
	if a, b := parts(1), parts(2); a["Card"] == b["Card"] || a["SealKey"] == b["SealKey"] || a["Card"][:12] == b["Card"][:12] {
		t.Error("two operations share a content key, or a nonce")
	}
}

// The check sees a card wherever it can be read.
func TestCardThatCanBeReadIsFound(t *testing.T) {
	for _, row := range []struct {
		sentence, given, want string
		spoil                 func(w *world)
	}{
		{"stored as it is", "false", "stored as it is", func(*world) {}},
		{"told by another property", "true", "without the key", func(w *world) {
			list := unpacked(t, w.stored(order(1).Key("")))
			w.write(entity.InsertOrReplace, order(1).Key(""), append(list, entity.Property{Name: "Note", Value: entity.String("paid by 4000-1234-1.")}))
		}},
		{"told by the RowKey", "true", "without the key", func(w *world) {
			leak := order(1)
			leak.keys = map[string]entity.Key{"": {Partition: "x", Row: "paid by 4000-1234-1"}}
			w.run(perform(w.t, w.setting(nil), "seal-put", 1, card, leak))
		}},
		{"moved to another order", "true", "cannot be opened", func(w *world) {
			w.write(entity.Insert, entity.Key{Partition: "x", Row: "y"}, unpacked(t, w.stored(order(1).Key(""))))
		}},
	} {
		w := newWorld(t)
		s := w.setting(nil)
		w.run(perform(t, s, "seal-put", 0, map[string]string{"property": "Card", "sealed": row.given}, order(1)))
		w.write(entity.Insert, entity.Key{Partition: "no", Row: "card"}, nil)
		row.spoil(w)
		check := workflow.Find("seal-put").Check(s, card)
		w.run(check)
		if found := check.Findings(); found.Faults != 1 || !strings.Contains(found.Examples[0], row.want) {
			t.Errorf("%s: %+v; want one fault, that it %s", row.sentence, found, row.want)
		}
	}
}

// contact returns an order with a phone beside its card.
func contact(number int) thing {
	o := order(number)
	o.properties = append(o.properties, entity.Property{Name: "Phone", Value: entity.String(fmt.Sprint("+39-06-", 100+number))})
	return o
}

// A resolver picks by PartitionKey, RowKey and property: just what its rules are of is sealed,
// opens again and costs what seals cost, and all else is stored as it is.
func TestAResolverPicksWhatIsSealed(t *testing.T) {
	for _, row := range []struct {
		rules string
		// picked is what they mean, put in other words.
		picked func(number int, name string) bool
	}{
		{"*/*/Card, customer 1/*/Phone", func(number int, name string) bool {
			return name == "Card" || name == "Phone" && number%3 == 1
		}},
		{"customer 2/0000?/Card,*/00010/Phone", func(number int, name string) bool {
			return name == "Card" && number%3 == 2 && number < 10 || name == "Phone" && number == 10
		}},
		{"*/00000/*o*", func(number int, name string) bool { return name == "Phone" && number == 0 }},
	} {
		w := newWorld(t)
		s, given := w.setting(nil), map[string]string{"resolver": row.rules}
		sealed := int64(0)
		for n := range 14 {
			one, added := contact(n), 0
			for _, p := range one.properties {
				if row.picked(n, p.Name) {
					sealed++
					// Text of N letters takes 2N + 4 bytes, its seal N + 4, a nonce of 12 and a tag of 16.
					added += 28 - len(p.Value.Text())
				}
			}
			want := "plain"
			if added != 0 {
				// The name of a property takes 8 bytes and 2 a letter, the key of 32 bytes sealed 12 + 16 + 4
				// more, and the name of the master key, loadgen-1, 2 * 9 + 4.
				want, added = "opened", added+8+2*len("SealKey")+32+12+16+4+8+2*len("SealedBy")+2*9+4
			}
			put := perform(t, s, "seal-put", uint64(n), given, one)
			if w.run(put); counted(put)["added-bytes"] != int64(added) {
				t.Errorf("%s: order %d takes %d bytes more; want %d", row.rules, n, counted(put)["added-bytes"], added)
			}
			packed := w.stored(one.Key(""))
			for _, p := range one.properties {
				if v, _ := packed.Lookup(p.Name); row.picked(n, p.Name) != (v.Type() == entity.TypeBinary) || !row.picked(n, p.Name) && v.Text() != p.Value.Text() {
					t.Errorf("%s: %s of order %d is of type %v; want it sealed: %v", row.rules, p.Name, n, v.Type(), row.picked(n, p.Name))
				}
			}
			get := perform(t, s, "seal-get", uint64(n), given, one)
			if w.run(get); fmt.Sprint(counted(get)) != "map["+want+":1]" {
				t.Errorf("%s: reading order %d: %v; want %s", row.rules, n, counted(get), want)
			}
		}
		w.holds(workflow.Find("seal-put").Check(s, given), sealed)
		// Who writes by other rules leaves what was to be sealed for all to read.
		w.run(perform(t, s, "seal-put", 99, map[string]string{"resolver": "nobody/*/Card", "verb": "insert-or-replace"}, contact(10)))
		missed := int64(0)
		for _, name := range []string{"Card", "Phone"} {
			if row.picked(10, name) {
				missed++
			}
		}
		check := workflow.Find("seal-put").Check(s, given)
		w.run(check)
		if found := check.Findings(); found.Faults != missed {
			t.Errorf("%s: %d faults; want %d", row.rules, found.Faults, missed)
		}
	}
}
