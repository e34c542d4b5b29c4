package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/nearest"
)

// Annotations of flags, which come from the tags of the fields that they fill.
const (
	tagGroup    = "group"    // the heading that help shows the flag under; of a struct: that of all its flags
	tagRare     = "rare"     // "yes": only `loadgen help VERB --all` shows the flag
	tagRequires = "requires" // flags, one of which must be typed, too
	tagExcludes = "excludes" // flags that must not be typed, too
	tagWords    = "words"    // the words that the flag takes, separated by commas; of a struct: those of its flags that have words
)

// bind adds a flag for each exported field with the tag flag:"name" or flag:"name,letter", also of structs within,
// but those in except. The help text says what it does, with the name of its value between asterisks. The tag default is
// its default as it is typed, in place of the field's value; alone is its value if it is typed without one. The others are
// annotations; those of a struct hold for all of its flags. With split a list has commas between its words.
func bind(flags *pflag.FlagSet, options any, except ...string) {
	flags.SortFlags = false
	bindFields(flags, reflect.ValueOf(options).Elem(), nil, except)
}

func bindFields(flags *pflag.FlagSet, of reflect.Value, inherited map[string][]string, except []string) {
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		annotations := annotationsOf(field.Tag, inherited)
		name, letter, _ := strings.Cut(field.Tag.Get("flag"), ",")
		switch {
		case name == "" && value.Kind() == reflect.Struct && (field.IsExported() || field.Anonymous):
			bindFields(flags, value, annotations, except)
			continue
		case name == "" || slices.Contains(except, name):
			continue
		}
		usage := describeFlag(name)
		into := value.Addr().Interface()
		if field.Tag.Get(tagWords) != "" {
			words := strings.Split(annotations[tagWords][0], ",")
			usage += ": " + strings.Join(words, ", ")
			into = &wordValue{into.(*string), words}
		}
		if list, ok := into.(*[]string); ok && field.Tag.Get("split") != "" {
			flags.StringSliceVarP(list, name, letter, *list, usage)
		} else {
			addFlag(flags, into, name, letter, usage)
		}
		f := flags.Lookup(name)
		if text := field.Tag.Get("default"); text != "" {
			if err := f.Value.Set(text); err != nil {
				panic(fmt.Sprintf("loadgen: default of --%s: %v", name, err))
			}
			f.DefValue = text
		}
		if alone := field.Tag.Get("alone"); alone != "" {
			f.NoOptDefVal = alone
		}
		f.Annotations = annotations
	}
}

// annotationsOf returns the annotations of a field: those of its tag, and those of the structs around it.
func annotationsOf(own reflect.StructTag, inherited map[string][]string) map[string][]string {
	annotations := make(map[string][]string)
	for _, tag := range []string{tagGroup, tagRare, tagRequires, tagExcludes, tagWords} {
		annotations[tag] = inherited[tag]
		switch text := own.Get(tag); {
		case text == "", tag == tagWords && len(inherited[tag]) > 0:
		case tag == tagRequires, tag == tagExcludes:
			annotations[tag] = append(slices.Clip(inherited[tag]), strings.Split(text, ",")...)
		default:
			annotations[tag] = []string{text}
		}
	}
	return annotations
}

// addFlag adds a flag that fills a variable of one of the types that flags have.
func addFlag(flags *pflag.FlagSet, into any, name, letter, usage string) {
	switch p := into.(type) {
	case pflag.Value:
		flags.VarP(p, name, letter, usage)
	case *string:
		flags.StringVarP(p, name, letter, *p, usage)
	case *bool:
		flags.BoolVarP(p, name, letter, *p, usage)
	case *int:
		flags.IntVarP(p, name, letter, *p, usage)
	case *int64:
		flags.Int64VarP(p, name, letter, *p, usage)
	case *uint64:
		flags.Uint64VarP(p, name, letter, *p, usage)
	case *float64:
		flags.Float64VarP(p, name, letter, *p, usage)
	case *time.Duration:
		flags.DurationVarP(p, name, letter, *p, usage)
	case *[]string:
		flags.StringArrayVarP(p, name, letter, *p, usage)
	default:
		panic(fmt.Sprintf("loadgen: --%s fills a %T, which no flag does", name, into))
	}
}

// checkFlags returns what is wrong with the flags that were typed: one without another that it requires, or with
// one that it excludes, or an empty text.
func checkFlags(c *cobra.Command) error {
	flags := c.Flags()
	// A verb can set a flag of yes or no.
	set := func(name string) bool {
		f := flags.Lookup(name)
		return f != nil && (f.Changed || f.Value.Type() == "bool" && f.Value.String() == "true")
	}
	var fault error
	flags.Visit(func(f *pflag.Flag) {
		if fault != nil {
			return
		}
		if text := f.Value.String(); text == "[]" || text == "" && f.Value.Type() == "string" {
			fault = fmt.Errorf("--%s: expected a value", f.Name)
			return
		}
		for _, other := range f.Annotations[tagExcludes] {
			switch {
			case flags.Changed(other):
				fault = fmt.Errorf("--%s and --%s are mutually exclusive; expected one of them", f.Name, other)
			case set(other):
				fault = fmt.Errorf("--%s does not apply to %s, which is in virtual time; `loadgen run` has it", f.Name, c.CommandPath())
			}
		}
		for _, some := range f.Annotations[tagRequires] {
			if any := strings.Split(some, "|"); fault == nil && !slices.ContainsFunc(any, set) {
				fault = fmt.Errorf("--%s requires --%s", f.Name, strings.Join(any, " or --"))
			}
		}
	})
	if fault != nil {
		return usageError{fault}
	}
	return nil
}

// wordValue is one of some words.
type wordValue struct {
	into  *string
	known []string
}

var errWord = errors.New("expected a word that the verb knows")

func (v *wordValue) String() string { return *v.into }
func (v *wordValue) Type() string   { return "word" }

func (v *wordValue) Set(word string) error {
	if !slices.Contains(v.known, word) {
		return errWord
	}
	*v.into = word
	return nil
}

func (v *wordValue) expected(typed string) string {
	words := nearest.Choice(v.known)
	if near, found := nearest.Name(typed, v.known); found {
		return words + "; the nearest is " + near
	}
	return words
}
