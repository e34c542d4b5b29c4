package workflow_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// order returns one with a card.
func order(number int) thing {
	return thing{number: uint64(number), keys: map[string]entity.Key{"": {Partition: fmt.Sprint("customer ", number%3), Row: fmt.Sprintf("%05d", number)}},
		properties: []entity.Property{text("Card", fmt.Sprint("4000-1234-", number)), {Name: "Paid", Value: entity.Boolean(true)}}}
}

var card = args{"property": "Card"}

// stored returns an order as the table has it.
func (w *world) stored(o thing) entity.Packed {
	w.t.Helper()
	packed, there := w.get("Test", o.keys[""])
	require.Truef(w.t, there, "%v is not there", o.keys[""])
	return packed
}

func (w *world) unpacked(o thing) []entity.Property {
	w.t.Helper()
	list, err := w.stored(o).Unpack(nil)
	require.NoError(w.t, err)
	return list
}

// reads complains unless who reads an order counts this alone.
func (w *world) reads(what string, given args, o thing, want string) {
	w.t.Helper()
	get := w.op("seal-get", int(o.number), given, o)
	w.run(get)
	assert.Equalf(w.t, map[string]int64{want: 1}, counted(get), "%s: reading order %d", what, o.number)
}

// However attempts interleave and get lost, what was put or replaced holds no card that
// can be read, and each opens.
func TestSealedIsReadByTheKeyAlone(t *testing.T) {
	for _, verb := range []string{"insert", "insert-or-replace"} {
		w := newWorld(t)
		var loaded []thing
		for k := range 20 {
			loaded = append(loaded, order(k))
		}
		w.load(loaded...)
		var all []*workflow.Procedure
		for k := range 20 {
			all = append(all, w.op("seal-replace", k, card, thing{}))
			all = append(all, w.op("seal-put", 100+k, args{"property": "Card", "verb": verb}, order(100+k)))
		}
		w.raceWell(3, 6, 30, all)
		w.holds("seal-put", card, 40)
		for _, k := range []int{0, 19, 100, 119} {
			w.reads(verb, card, order(k), "opened")
			packed := w.stored(order(k))
			assert.Truef(t, value(packed, "Card").Type() == entity.TypeBinary && !bytes.Contains(packed, []byte("4000-1234")), "%s: order %d has a card that can be read", verb, k)
			assert.True(t, value(packed, "Paid").Bool(), verb)
		}
	}
}

// What was sealed opens in its own place alone, and unaltered.
func TestSealedOpensInItsOwnPlaceAlone(t *testing.T) {
	w := newWorld(t)
	for _, k := range []int{1, 4} {
		w.run(w.op("seal-put", k, card, order(k)))
	}
	one, other := w.unpacked(order(1)), w.unpacked(order(4))
	at := func(name string) int {
		return slices.IndexFunc(one, func(p entity.Property) bool { return p.Name == name })
	}
	with := func(name string, v entity.Value) []entity.Property {
		changed := slices.Clone(one)
		changed[at(name)].Value = v
		return changed
	}
	bent := one[at("Card")].Value.Bytes()
	bent[len(bent)-1] ^= 1
	for _, row := range []struct {
		sentence   string
		properties []entity.Property
		want       string
	}{
		{"as it was written", one, "opened"},
		{"with a bit of the card changed", with("Card", entity.Binary(bent)), "broken"},
		{"with the card of another order", with("Card", other[at("Card")].Value), "broken"},
		{"with the content key of another order", with("SealKey", other[at("SealKey")].Value), "broken"},
		{"with all of another order", other, "broken"},
		{"with a card that is too short", with("Card", entity.Binary([]byte{1})), "broken"},
		{"with no content key", with("SealKey", entity.String("")), "broken"},
		{"with the card as it is", order(1).Properties(), "clear"},
		{"without a card", order(1).Properties()[1:], "missing"},
		{"with the card of somebody else, sealed for this place", nil, "broken"},
	} {
		if row.properties == nil {
			wrong := order(1)
			wrong.properties = order(2).properties
			w.run(w.op("seal-put", 9, args{"property": "Card", "verb": "insert-or-replace"}, wrong))
		} else {
			w.put("Test", order(1).keys[""], row.properties...)
		}
		w.reads(row.sentence, card, order(1), row.want)
	}
}

// Each entity has a content key of its own, and a run repeats to the byte.
func TestSealingRepeats(t *testing.T) {
	w := newWorld(t)
	parts := func(k int) map[string]string {
		found := map[string]string{}
		for _, p := range w.op("seal-put", k, card, order(1)).Begin().Change.Properties {
			found[p.Name] = string(p.Value.Bytes())
		}
		return found
	}
	a, b := parts(1), parts(2)
	assert.True(t, maps.Equal(a, parts(1)), "one operation seals in two ways")
	assert.True(t, a["Card"] != b["Card"] && a["SealKey"] != b["SealKey"] && a["Card"][:12] != b["Card"][:12],
		"two operations share a content key, or a nonce")
}

// The check sees a card wherever it can be read.
func TestCardThatCanBeReadIsFound(t *testing.T) {
	leak := order(1)
	leak.keys = map[string]entity.Key{"": {Partition: "x", Row: "paid by 4000-1234-1"}}
	for _, row := range []struct {
		sentence, sealed, want string
		spoil                  func(w *world)
	}{
		{"stored as it is", "false", "not encrypted", func(*world) {}},
		{"told by another property", "true", "without the key", func(w *world) {
			w.put("Test", order(1).keys[""], append(w.unpacked(order(1)), text("Note", "paid by 4000-1234-1."))...)
		}},
		{"told by the RowKey", "true", "without the key", func(w *world) { w.run(w.op("seal-put", 1, card, leak)) }},
		{"moved to another order", "true", "decrypt", func(w *world) {
			w.put("Test", entity.Key{Partition: "x", Row: "y"}, w.unpacked(order(1))...)
		}},
	} {
		w := newWorld(t)
		w.run(w.op("seal-put", 0, args{"property": "Card", "sealed": row.sealed}, order(1)))
		w.put("Test", entity.Key{Partition: "no", Row: "card"})
		row.spoil(w)
		if found := w.check("seal-put", card); found.Faults != 1 || !strings.Contains(found.Examples[0], row.want) {
			t.Errorf("%s: %+v; want one fault, with %q", row.sentence, found, row.want)
		}
	}
}

// contact returns an order with a phone beside its card.
func contact(number int) thing {
	o := order(number)
	o.properties = append(o.properties, text("Phone", fmt.Sprint("+39-06-", 100+number)))
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
		given := args{"resolver": row.rules}
		sealed := int64(0)
		for n := range 14 {
			one, added, want := contact(n), 0, "plain"
			for _, p := range one.properties {
				if row.picked(n, p.Name) {
					sealed++
					// Text of N letters takes 2N + 4 bytes, its seal N + 4, a nonce of 12 and a tag of 16.
					added += 28 - len(p.Value.Text())
				}
			}
			if added != 0 {
				// The name of a property takes 8 bytes and 2 a letter, the key of 32 bytes sealed 12 + 16 + 4
				// more, and the name of the master key, loadgen-1, 2 * 9 + 4.
				want, added = "opened", added+8+2*len("SealKey")+32+12+16+4+8+2*len("SealedBy")+2*9+4
			}
			put := w.op("seal-put", n, given, one)
			w.run(put)
			assert.EqualValuesf(t, added, counted(put)["added-bytes"], "%s: order %d", row.rules, n)
			packed := w.stored(one)
			for _, p := range one.properties {
				v, _ := packed.Lookup(p.Name)
				if picked := row.picked(n, p.Name); picked != (v.Type() == entity.TypeBinary) || !picked && v.Text() != p.Value.Text() {
					t.Errorf("%s: %s of order %d is of type %v; want it sealed: %v", row.rules, p.Name, n, v.Type(), picked)
				}
			}
			w.reads(row.rules, given, one, want)
		}
		w.holds("seal-put", given, sealed)
		// Who writes by other rules leaves what was to be sealed for all to read.
		w.run(w.op("seal-put", 99, args{"resolver": "nobody/*/Card", "verb": "insert-or-replace"}, contact(10)))
		missed := int64(0)
		for _, name := range []string{"Card", "Phone"} {
			if row.picked(10, name) {
				missed++
			}
		}
		w.finds("seal-put", given, missed, 0)
	}
}
