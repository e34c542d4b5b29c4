package workflow_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/results/resultstest"
	"loadgen/scenarios/workflow"
)

var (
	kebab = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
	// sentence is one that begins with a capital and ends with a full stop.
	sentence = regexp.MustCompile(`^[A-Z0-9].*\.$`)
)

// The closed list is in order. Names and sentences have one form, and defaults are valid.
func TestKindsAreWhole(t *testing.T) {
	names := workflow.Names()
	assert.True(t, slices.IsSorted(names) && len(slices.Compact(slices.Clone(names))) == len(names), names)
	for _, name := range names {
		k := workflow.Find(name)
		assert.Truef(t, kebab.MatchString(name) && k.Name == name && sentence.MatchString(k.Says) && k.New != nil, "%+v", k)
		seen := map[string]bool{}
		for _, p := range k.Parameters {
			optional := p.Type == workflow.OfPlace || p.Type == workflow.OfAttribute || p.Type == workflow.OfProperty || p.Type == workflow.OfName || p.Type == workflow.OfResolver
			assert.Truef(t, kebab.MatchString(p.Name) && sentence.MatchString(p.Says) && !seen[p.Name] && p.Type != 0, "%s: %+v", name, p)
			assert.Truef(t, p.Was == "" || k.Parameter(p.Was) == nil && k.Renamed(p.Was) != nil, "%s: %+v: the former name is in use", name, p)
			assert.Truef(t, p.Required != (p.Default != "") || optional, "%s: %+v: expected required or a default", name, p)
			assert.Truef(t, p.Default == "" || p.Takes(p.Default), "%s: %+v: want %s", name, p, p.Expected())
			seen[p.Name] = true
		}
	}
	assert.Nil(t, workflow.Find("no-such-workflow"))
}

func TestParametersTake(t *testing.T) {
	for name, row := range map[string]struct {
		of             workflow.Parameter
		takes, refuses []string
	}{
		"a word of a list": {workflow.Parameter{Type: workflow.OfChoice, Choices: []string{"one", "other"}}, []string{"one", "other"}, []string{"others", ""}},
		"a count":          {workflow.Parameter{Type: workflow.OfCount, Least: 2, Most: 10}, []string{"2", "10"}, []string{"1", "11", "+5", "5.0"}},
		"a share":          {workflow.Parameter{Type: workflow.OfShare}, []string{"12.5%", "1", "0%"}, []string{"101%", "-1%", "NaN", "Inf", ""}},
		"a time":           {workflow.Parameter{Type: workflow.OfDuration, Least: 1e9, Most: 60e9}, []string{"1m"}, []string{"999ms", "61s", "30"}},
		"a name":           {workflow.Parameter{Type: workflow.OfName}, []string{"Day31"}, []string{"Da", "a-b-c", "1abc"}},
		"a truth":          {workflow.Parameter{Type: workflow.OfTruth}, []string{"true"}, []string{"True"}},
		"a place":          {workflow.Parameter{Type: workflow.OfPlace}, []string{"by-name"}, []string{""}},
		"rules": {workflow.Parameter{Type: workflow.OfResolver}, []string{"*/*/Card, vip-*/0?/Phone", "*/*/Card"},
			[]string{"*/Card", "*/*/", "*/*/[Card", "*/*/Card,"}},
	} {
		for _, text := range row.takes {
			assert.Truef(t, row.of.Takes(text), "%s: %q", name, text)
		}
		for _, text := range row.refuses {
			assert.Falsef(t, row.of.Takes(text), "%s: %q", name, text)
		}
	}
	a := workflow.Arguments{"share": "12.5%", "count": "7", "lasts": "90s", "truth": "true"}
	assert.Equal(t, "0.125 7 1m30s true false 7", fmt.Sprint(a.Share("share"), a.Count("count"), a.Duration("lasts"), a.Truth("truth"), a.Truth("count"))+" "+a.Text("count"))
}

// The queues and containers that operations use: what lies in the table needs none, and nobody
// has to look for one.
func TestStoresOfKinds(t *testing.T) {
	for _, row := range []struct{ kinds, form, stores string }{
		{"index-add", "partition", "[]"},
		{"index-add", "place", "[changes true]"},
		{"index-work", "blob", "[lists false changes true]"},
		{"index-lookup", "place", "[]"},
		{"index-lookup", "blob", "[lists false]"},
		{"large-put large-get large-delete large-sweep", "blob", "[large false]"},
		{"large-put large-get large-delete large-sweep", "inline", "[]"},
	} {
		for _, name := range strings.Fields(row.kinds) {
			kind, stores := workflow.Find(name), []string{}
			a := settled(kind, indexGiven(row.form, nil))
			for _, store := range kind.Stores(a) {
				stores = append(stores, fmt.Sprint(store.Name, " ", store.Queue))
			}
			assert.Equalf(t, row.stores, fmt.Sprint(stores), "%s, form %s", name, row.form)
			if strings.HasPrefix(name, "large-") && kind.Check != nil {
				checked := kind.Check(newWorld(t).Setting, a) != nil
				assert.Equalf(t, len(stores) > 0, checked, "%s, form %s: is there a check", name, row.form)
			}
		}
	}
}

// placeholder is an attribute in a template of a key.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// design is one of employees by department, which has what every kind needs.
func design() *workflow.Design {
	names := func(template string) (list []string) {
		for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
			list = append(list, match[1])
		}
		return list
	}
	place := func(table, partition, row string) workflow.DesignPlace {
		return workflow.DesignPlace{Table: table, PartitionKey: partition, RowKey: row, PartitionNames: names(partition), RowNames: names(row)}
	}
	return &workflow.Design{Loaded: true, Attributes: []string{"department", "employee", "badge", "last", "card", "office"},
		Properties: []workflow.DesignProperty{
			{Name: "Employee", Attribute: "employee"}, {Name: "Department", Attribute: "department", Type: entity.TypeString},
			{Name: "Salary", Type: entity.TypeInt32}, {Name: "Badge", Attribute: "badge"}, {Name: "Name"},
			{Name: "LastName", Attribute: "last", Type: entity.TypeString}, {Name: "Number", Attribute: "employee", Type: entity.TypeInt32},
			{Name: "Card", Attribute: "card", Type: entity.TypeString}, {Name: "At", Type: entity.TypeDateTime}},
		Own: place("", "{department}", "{employee}"),
		Places: map[string]workflow.DesignPlace{
			"department":  place("", "{department}", "department"),
			"badge":       place("Badges", "{badge}", "{badge}"),
			"odd":         place("Odd", "{office}", "{badge}"),
			"each":        place("", "{department}", "of {employee}"),
			"archive":     place("Archive", "{department}", "{employee}"),
			"former":      place("", "former", "{department}_{employee}"),
			"same":        place("", "{department}", "{employee}"),
			"whole":       place("Archive", "former", "{department}"),
			"names":       place("", "{department}", "last {last}"),
			"all-names":   place("Names", "{last}", "list"),
			"other-names": place("", "{last}", "list"),
			"table-names": place("Names", "{department}", "{last}"),
			"one-list":    place("Names", "names", "list"),
			"each-name":   place("", "{department}", "{last}_{employee}"),
			"every-name":  place("", "{last}", "{employee}"),
		}}
}

// given returns the parameters of a text, such as "property=Card verb=merge", as far as the
// kind has them.
func given(kind *workflow.Kind, text string) map[string]string {
	parameters := map[string]string{}
	for _, word := range strings.Fields(text) {
		if name, value, _ := strings.Cut(word, "="); kind.Parameter(name) != nil {
			parameters[name] = value
		}
	}
	return parameters
}

// What a design lacks for a workflow is told by the parameter that asks for it, "load" where
// none does.
func TestWhatDesignsLack(t *testing.T) {
	changes := map[string]func(d *workflow.Design){
		"": func(*workflow.Design) {}, "unloaded": func(d *workflow.Design) { d.Loaded = false },
		"twice": func(d *workflow.Design) { d.Properties[4].Attribute = "card" },
		"named": func(d *workflow.Design) {
			d.Own.RowKey, d.Own.RowNames = "{last}_{employee}", []string{"last", "employee"}
		},
		"alone": func(d *workflow.Design) {
			d.Own = workflow.DesignPlace{PartitionKey: "{employee}", RowKey: "employee", PartitionNames: []string{"employee"}}
		},
	}
	for _, row := range resultstest.Rows(t, "testdata/lacks.txt", 5) {
		d, kind := design(), workflow.Find(row[0])
		if names := strings.Fields(row[2]); len(names) > 1 && names[0] == "in-row" {
			d.Own.RowNames = append(d.Own.RowNames, names[1:]...)
		} else if len(names) > 1 {
			d.Own.PartitionNames = append(d.Own.PartitionNames, names[1:]...)
		} else {
			require.Contains(t, changes, row[2])
			changes[row[2]](d)
		}
		var lacks []string
		for _, lack := range kind.Serves(d, kind.WithDefaults(given(kind, row[1]))) {
			if lack.Parameter == "" {
				lack.Parameter = "load"
			}
			lacks = append(lacks, lack.Parameter)
		}
		assert.Equalf(t, row[3], strings.Join(lacks, " "), "%s, %s: it lacks", row[0], row[4])
	}
}

// readBy returns a read of a user, who lacks what the keeper says.
func (w *world) readBy(kind string, k uint64, given args, lacking workflow.Lacking, about thing) *workflow.Procedure {
	one := workflow.Find(kind)
	return one.New(&workflow.Call{Setting: w.Setting, Arguments: settled(one, given), K: k, Subject: about, Fresh: about, Lacking: lacking})
}

// A read by a signature is one request, two where the user has none, and a third where the
// browser asks for leave; through a proxy it is two, and the proxy carries the answer twice.
func TestReadsByUsers(t *testing.T) {
	w := newWorld(t)
	mine := order(1)
	w.load(mine)
	size := int64(len(w.stored(mine)))
	const signature, leave = workflow.Lacking(1), workflow.Lacking(2)
	for _, row := range []struct {
		name, kind         string
		lacking            workflow.Lacking
		requests           string
		issued, preflights int64
		carries            func(int64) bool
	}{
		{"with a signature", "direct-read", 0, "map[get:20]", 0, 0, func(n int64) bool { return n == 0 }},
		{"without one", "direct-read", signature, "map[ask:20 get:20]", 20, 0, func(n int64) bool { return n > 20*100 && n < 20*300 }},
		{"in a browser, with one", "direct-read", leave, "map[ask:20 get:20]", 0, 20, func(n int64) bool { return n == 0 }},
		{"in a browser, without one", "direct-read", signature | leave, "map[ask:40 get:20]", 20, 20, func(n int64) bool { return n > 20*100 && n < 20*300 }},
		{"through a proxy", "proxied-read", 0, "map[ask:20 get:20]", 0, 0, func(n int64) bool { return n == 2*20*size }},
	} {
		clear(w.requests)
		var all []*workflow.Procedure
		for k := range 20 {
			p := w.readBy(row.kind, uint64(k), nil, row.lacking, mine)
			all = append(all, p)
			foreseen, before := len(p.Requests()), w.number
			assert.True(t, w.run(p), row.name)
			assert.EqualValues(t, foreseen, w.number-before, row.name)
		}
		issued, preflights, carried := total(all, "issued"), total(all, "preflights"), total(all, "carried")
		assert.Equal(t, row.requests, fmt.Sprint(w.requests), row.name)
		assert.Equal(t, [2]int64{row.issued, row.preflights}, [2]int64{issued, preflights}, row.name)
		assert.Truef(t, row.carries(carried), "%s: %d bytes", row.name, carried)
	}
}

// What is kept is the user's, and opens what it covers.
func TestWhatUsersKeep(t *testing.T) {
	about := func(user, partition, row string) thing {
		return thing{keys: map[string]entity.Key{"": {Partition: partition, Row: row}}, values: args{"reader": user}}
	}
	base := about("ann", "p", "r")
	for _, row := range []struct {
		name  string
		given args
		other thing
		// signature and leave say whether the other read shares them.
		signature, leave bool
	}{
		{"the same read", nil, about("ann", "p", "r"), true, true},
		{"another entity of the partition", nil, about("ann", "p", "s"), true, false},
		{"another partition", nil, about("ann", "q", "r"), false, false},
		{"another reader, who is told by the partition", nil, about("bob", "p", "r"), true, true},
		{"another reader, who is told by an attribute", args{"user": "reader"}, about("bob", "p", "r"), false, false},
		{"another partition of the reader", args{"user": "reader"}, about("ann", "q", "r"), false, false},
		{"another entity, of a signature for one", args{"covers": "entity"}, about("ann", "p", "s"), false, false},
		{"the same entity, of a signature for one", args{"covers": "entity"}, about("ann", "p", "r"), true, true},
	} {
		kind := workflow.Find("direct-read")
		a := kind.WithDefaults(row.given)
		plain := kind.Keeps(base, a)
		assert.Truef(t, len(plain) == 1 && plain[0].For == time.Hour, "%s: without a browser a read keeps %+v; want a signature for an hour", row.name, plain)
		a["preflight"], a["lasts"] = "10m", "15m"
		one, other := kind.Keeps(base, a), kind.Keeps(row.other, a)
		require.Truef(t, len(one) == 2 && one[0].For == 15*time.Minute && one[1].For == 10*time.Minute && one[0].Of != one[1].Of,
			"%s: in a browser a read keeps %+v; want a signature, and leave", row.name, one)
		assert.Equalf(t, row.signature, one[0].Of == other[0].Of, "%s: signature %q and %q", row.name, one[0].Of, other[0].Of)
		assert.Equalf(t, row.leave, one[1].Of == other[1].Of, "%s: leave %q and %q", row.name, one[1].Of, other[1].Of)
	}
}

// What is carried is a signature that the service's own check finds genuine, and that
// opens the user's keys alone.
func TestSignaturesAreOfTheUsersKeys(t *testing.T) {
	secret, err := wire.NewSecret(base64.StdEncoding.EncodeToString([]byte("an unused account key")))
	require.NoError(t, err)
	w := newWorld(t)
	user := order(1)
	user.keys[""] = entity.Key{Partition: "user & co", Row: "1+1"}
	for _, covers := range []string{"partition", "entity"} {
		p := w.readBy("direct-read", 0, args{"covers": covers}, 1, user)
		first := p.Begin()
		var a wire.SharedAccess
		values, err := url.ParseQuery(string(first.Beside.Body))
		require.NoError(t, err)
		for name, list := range values {
			known, once := a.Set(name, list[0])
			assert.Truef(t, known && once && len(list) == 1, "%s: option %s=%q", covers, name, list)
		}
		assert.Empty(t, a.Fault(), covers)
		assert.Truef(t, secret.VerifyAccess("account", &a) && a.Permissions == "r", "%s: the signature is not genuine, or not of reading: %+v", covers, a)
		from, to, whole, endless := a.Keys()
		want := entity.Key{Partition: "user & co"}
		if covers == "entity" {
			want.Row = "1+1"
		}
		assert.Truef(t, from == want && to == want && !endless && whole == (covers == "partition"),
			"%s: it opens %v to %v, whole %v, endless %v; want the user's keys", covers, from, to, whole, endless)
		requests := p.Requests()
		require.Len(t, requests, 2, "the signature's and the user's entity")
		assert.Equal(t, user.Key(""), requests[1].Change.Key)
	}
}
