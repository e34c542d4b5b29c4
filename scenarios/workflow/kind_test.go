package workflow_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/workflow"
)

var (
	kebab = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
	// sentence is one that begins with a capital and ends with a full stop.
	sentence = regexp.MustCompile(`^[A-Z0-9].*\.$`)
)

// The closed list is in order, and every entry says what it is, what it takes and what
// it counts.
func TestKindsAreWhole(t *testing.T) {
	names := workflow.Names()
	assert.Truef(t, len(names) != 0 && slices.IsSorted(names) && len(slices.Compact(slices.Clone(names))) == len(names),
		"Names() = %q; want names in order, each once", names)
	for _, name := range names {
		k := workflow.Find(name)
		assert.Truef(t, kebab.MatchString(k.Name) && sentence.MatchString(k.Says) && k.New != nil, "%+v; want small letters and dashes, a sentence, and a maker", k)
		seen := map[string]bool{}
		for _, p := range k.Parameters {
			assert.Truef(t, kebab.MatchString(p.Name) && sentence.MatchString(p.Says) && !seen[p.Name] && p.Type != 0,
				"parameter %q of %s says %q and is of type %d; want small letters and dashes, a sentence, a type, and a name of its own", p.Name, k.Name, p.Says, p.Type)
			seen[p.Name] = true
			assert.Truef(t, p.Was == "" || k.Parameter(p.Was) == nil && k.Renamed(p.Was) != nil,
				"parameter %s of %s was called %q; want a name that no parameter has now", p.Name, k.Name, p.Was)
			assert.Truef(t, p.Required != (p.Default != "") || p.Type == workflow.OfPlace || p.Type == workflow.OfAttribute || p.Type == workflow.OfProperty || p.Type == workflow.OfName || p.Type == workflow.OfResolver,
				"parameter %s of %s is required: %v, its default %q; want one of them",
				p.Name, k.Name, p.Required, p.Default)
			assert.Truef(t, p.Default == "" || p.Takes(p.Default), "the default of %s of %s is %q; want %s", p.Name, k.Name, p.Default, p.Expected())
		}
		for _, counter := range k.Counters {
			assert.Truef(t, kebab.MatchString(strings.ReplaceAll(counter, " ", "-")),
				"%s counts %q; want small letters", k.Name, counter)
		}
		assert.Equal(t, name, k.Name)
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

// A default stands where nothing is given, and nothing that is no parameter is kept.
func TestSettle(t *testing.T) {
	k := workflow.Find("transfer")
	a := k.Settle(map[string]string{"from": "payer", "keyed": "by-account", "form": "x"})
	assert.Truef(t, len(a) == len(k.Parameters) && a.Text("from") == "payer" && a.Text("keyed") == "by-account" && a.Text("killed") == "0" && a.Text("to") == "",
		"Settle() = %v; want what was given, and the defaults of the rest", a)
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
		{"large-put large-get large-delete large-sweep", "entities", "[]"},
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

// No text makes a parameter panic, and what a share takes is a part of one.
func FuzzParameter(f *testing.F) {
	for _, text := range []string{"5%", "0x1p-2", "1e-300", "٣", "1_0", "-0", "100.0000001%", "1h", "a-b", strings.Repeat("9", 400)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for kind := workflow.OfChoice; kind <= workflow.OfResolver; kind++ {
			p := workflow.Parameter{Type: kind, Choices: []string{"x"}, Least: 1, Most: 1e12}
			takes := p.Takes(text)
			a := workflow.Arguments{"p": text}
			if share := a.Share("p"); kind == workflow.OfShare && takes && !(share >= 0 && share <= 1) {
				t.Errorf("the share %q is %v; want a part of one", text, share)
			}
			if n := a.Count("p"); kind == workflow.OfCount && takes && (n < 1 || n > 1e12) {
				t.Errorf("the count %q is %d; want one within its bounds", text, n)
			}
		}
	})
}
