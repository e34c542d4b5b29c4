package keys_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

func TestDesignKeepsAllButTheKeys(t *testing.T) {
	g := generator(t, race())
	h, err := g.Design(template("{distance}"), template("{age:03d}_{bib}"))
	require.NoError(t, err)
	for n := range uint64(200) {
		value := func(name string) string { text, _ := g.ValueOf(name, keys.Event{Number: n}); return text }
		require.Equalf(t, value("distance"), h.PartitionKey(n), "PartitionKey(%d)", n)
		// The filler has another length under another key.
		require.Equalf(t, g.Properties(n)[:6], h.Properties(n)[:6], "Properties(%d)", n)
	}
	pinned, err := g.Pinned(3).Design(template("{age}"), template("{distance}_{bib}"))
	require.NoError(t, err)
	for n := range uint64(50) {
		distance, _ := g.ValueOf("distance", keys.Event{Number: 3})
		if row := pinned.Key(n).Row; !strings.HasPrefix(row, distance+"_") {
			t.Fatalf("Key(%d) of a pinned generator under other keys has the row %q; want the pinned %s in it", n, row, distance)
		}
	}
	_, err = g.Design(template("{agee}"), template("{bib}"))
	assert.ErrorIs(t, err, keys.ErrInvalidOptions, "Design() with an unknown attribute")
}

func TestProject(t *testing.T) {
	g := generator(t, race())
	for _, tt := range []struct {
		name  string
		names []string
		want  string
	}{
		{"the named ones, in the order in which they are stored", []string{"Fee", "Name"}, "Name Fee"},
		{"the filler, too, where it is named", []string{"Notes", "Age"}, "Age Notes"},
		{"none", nil, ""},
	} {
		h, err := g.Project(tt.names)
		require.NoErrorf(t, err, "%s: Project(%q)", tt.name, tt.names)
		for n := range uint64(20) {
			var got []string
			for _, p := range h.Properties(n) {
				got = append(got, p.Name)
				require.Falsef(t, !slices.Contains(g.Properties(n), p) && p.Name != "Notes",
					"%s: Properties(%d) holds %v, which the whole entity does not", tt.name, n, p)
			}
			require.Truef(t, strings.Join(got, " ") == tt.want && h.Key(n) == g.Key(n),
				"%s: Project(%q) has %q under %v; want %q under %v", tt.name, tt.names, got, h.Key(n), tt.want, g.Key(n))
		}
	}
	_, err := g.Project([]string{"Agee"})
	assert.ErrorIs(t, err, keys.ErrInvalidOptions, "Project(Agee)")
	assert.ErrorContains(t, err, `"Age"`, "Project(Agee) names the nearest")
}

// What is pinned keeps the keys of the partition's members and gives all others a row of their own
// there; what the PartitionKey tells is the witness's, and what it does not stays free.
func TestPinned(t *testing.T) {
	for _, row := range []struct{ partition, row, told, kept string }{
		{"{event}__{distance}", "{bib}__{name}__{age}", "distance", "name"}, {"{hash(user,4)}", "{user}_{bib}", "", "age"},
		{"{prefix(name,1)}", "{name}_{bib}", "", "user"}, {"{at:hour}", "{at:inverted}_{bib}", "", "user"},
		{"{user}", "{email}_{bib}", "email", "age"}, {"{email}", "{user}_{bib}", "user", "age"}, {"{user:05d}", "{user}_{bib}", "user", "age"},
		{"{reverse(user)}", "{user}_{bib}", "user", "age"}, {"{upper(name)}", "{name}_{bib}", "", "user"}, {"{day}", "{at}_{bib}", "", "user"},
	} {
		g := designed(t, row.partition, row.row)
		for _, witness := range []uint64{0, 17} {
			partition, pinned := g.PartitionKey(witness), g.Pinned(witness)
			for _, n := range membersOf(g, partition, 3000) {
				require.Equalf(t, g.Key(n), pinned.Key(n), "%q: Pinned(%d).Key(%d)", row, witness, n)
			}
			seen := map[string]bool{}
			for n := uint64(20_000); n < 20_100; n++ {
				key := pinned.Key(n)
				require.Equalf(t, partition, key.Partition, "%q: Pinned(%d).Key(%d)", row, witness, n)
				require.NotContainsf(t, seen, key.Row, "%q: Pinned(%d).Key(%d)", row, witness, n)
				seen[key.Row] = true
				told, _ := g.ValueOf(row.told, keys.Event{Number: witness})
				got, _ := pinned.ValueOf(row.told, keys.Event{Number: n})
				require.Equalf(t, told, got, "%q: Pinned(%d) has the %s for entity %d", row, witness, row.told, n)
				kept, _ := g.ValueOf(row.kept, keys.Event{Number: n})
				got, _ = pinned.ValueOf(row.kept, keys.Event{Number: n})
				require.Equalf(t, kept, got, "%q: Pinned(%d) has the %s for entity %d", row, witness, row.kept, n)
			}
		}
		require.Equalf(t, designed(t, row.partition, row.row).Key(5), g.Key(5), "%q: what was pinned is changed", row)
	}
}

// A function of an attribute does not tell it.
func TestPinnedToABucket(t *testing.T) {
	g := designed(t, "{hash(user,4)}", "{bib}")
	pinned, free := g.Pinned(3), map[string]bool{}
	projected, err := pinned.Project(nil)
	require.NoError(t, err)
	for n := range uint64(100) {
		user, _ := pinned.ValueOf("user", keys.Event{Number: n})
		free[user] = true
		require.Equalf(t, g.PartitionKey(3), projected.PartitionKey(n), "Project of a pinned generator has entity %d in", n)
	}
	assert.GreaterOrEqual(t, len(free), 30, "users among 100 entities of a bucket, of which there are 63")
}

// TestSharedValues has events share what leads them, and what is derived from it.
func TestSharedValues(t *testing.T) {
	g := designed(t, "{email}", "{bib}")
	shared := g.Sharing([]string{"email", "velocity"})
	first := keys.Event{Number: 70, Lead: 70, Shared: shared}
	second := keys.Event{Number: 71, Lead: 70, Shared: shared}
	if a, b := g.KeyOf(first), g.KeyOf(second); a.Partition != b.Partition || a.Row == b.Row {
		t.Errorf("KeyOf two events of one lead = %v and %v; want one partition and two rows", a, b)
	}
}

func TestWhatTellsEntitiesApart(t *testing.T) {
	o := race()
	deriving("card", "{bib}-{age}")(&o)
	deriving("loop", "{loop}")(&o)
	o.Attributes = append(o.Attributes, keys.Attribute{Name: "at", Values: keys.Time{Start: november}})
	for _, tt := range []struct {
		name, in, notIn, want string
	}{
		{"a sequence", "{age}{bib}", "", "bib"},
		{"a sequence that the other key holds, too, does not", "{bib}", "{bib}", ""},
		{"a sequence that the other key only hashes", "{bib}", "{hash(bib,16)}", "bib"},
		{"a sequence that is filled up or reversed", "{bib:05d}{reverse(bib)}", "", "bib"},
		{"a part of a sequence does not", "{prefix(bib,2)}{hash(bib,1000)}", "", ""},
		{"a sequence in what is derived", "{card}", "", "bib"},
		{"a sequence that the other key's derived text holds", "{bib}", "{card}", ""},
		{"what is built in", "{number}{uuid}{uuid7}", "{number}", "uuid uuid7"},
		{"a time does not", "{at:ticks}{time}", "", ""},
		{"a cycle ends", "{loop}{bib}", "{loop}", "bib"},
	} {
		got := o.Unique(template(tt.in), template(tt.notIn))
		assert.Equalf(t, tt.want, strings.Join(got, " "), "%s: Unique(%s, %s) = %q", tt.name, tt.in, tt.notIn, got)
	}
	for _, tt := range []struct {
		name, in, shared, want string
	}{
		{"what is not shared", "{event}{age}{event}", "age", "event"},
		{"what is derived from the shared", "{card}", "bib age", ""},
		{"what is derived from something else, too", "{card}", "bib", "age"},
		{"what is derived and shared", "{card}", "card", ""},
		{"a function of it", "{hash(bib,16)}", "bib", ""},
		{"the time by its other name", "{time:hour}", "at", ""},
		{"a cycle ends", "{loop}", "", ""},
		{"what is built in", "{number}{uuid}", "number", "uuid"},
	} {
		got := o.Differing(template(tt.in), strings.Fields(tt.shared))
		assert.Equalf(t, tt.want, strings.Join(got, " "), "%s: Differing(%s, %s) = %q", tt.name, tt.in, tt.shared, got)
	}
}

func TestProbesOfOptions(t *testing.T) {
	o := race()
	deriving("card", "{distance}-{lower(name)}")(&o)
	got := o.Probes([]string{"distance", "card", "number", "velocity"})
	assert.Equal(t, []string{"Full", "Half", "10 km"}, got["distance"], "Probes(distance)")
	for _, want := range []string{"Full-ada", "10 km-田中", "Half-björn"} {
		assert.Truef(t, slices.Contains(got["card"], want), "Probes(card) = %q; want %q among them", got["card"], want)
	}
	assert.Truef(t, len(got["number"]) != 0 && got["velocity"] == nil,
		"Probes(number) = %q and Probes(velocity) = %q; want some and none", got["number"], got["velocity"])
}
