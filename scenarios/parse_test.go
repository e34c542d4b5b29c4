package scenarios_test

import (
	"errors"
	"flag"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// largeLoad is a load whose keys take long to generate: sound, but no use to a
// fuzzer.
var largeLoad = regexp.MustCompile(`entities\W+[0-9]{5,}`)

func FuzzParse(f *testing.F) {
	texts := validTexts(f)
	maps.Copy(texts, brokenTexts(f))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		// Canonical forms are read again below, and those of the library by TestLibrary.
		_, isBuiltin := builtins[name]
		if !strings.HasSuffix(name, canonicalForm) && (!isBuiltin || flag.Lookup("test.fuzz").Value.String() != "") {
			f.Add([]byte(texts[name]))
		}
	}
	j := schemaJudge(f)
	f.Add([]byte("name: [a, {b: c}]\n? x\n: y"))
	f.Add([]byte("a: &x\n  - *x\n- - -\n"))
	f.Add([]byte("{name: \"\\u0000\", phases: [{name: x, load: {entities: 1}}]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 20_000 || largeLoad.Match(text) {
			return
		}
		s, err := scenarios.Parse("fuzz.yaml", text)
		if err != nil {
			var faults fields.Faults
			if s != nil || !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("Parse(%q) = %v, %#v; want faults alone", text, s, err)
			}
			for _, fault := range faults {
				if fault.File != "fuzz.yaml" || fault.Line < 1 || fault.Column < 1 || fault.What == "" {
					t.Fatalf("Parse(%q) has the fault %#v; want one with file, line, column and text", text, fault)
				}
			}
			return
		}
		if faults := s.Validate(); faults != nil {
			t.Fatalf("Parse(%q) = a scenario that is not valid: %v", text, faults)
		}
		if faults, isYAML := j.text(string(s.Text())); !isYAML || len(faults) > 0 {
			t.Fatalf("the schema says of %q %q, YAML %t; want nothing, for it is a scenario", s.Text(), faults, isYAML)
		}
		again, err := scenarios.Parse("again.yaml", s.Text())
		if err != nil {
			t.Fatalf("Parse(Text()) of %q = %v; want no error", text, err)
		}
		if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
			t.Fatalf("Parse(Text()) of %q differs (-want +got):\n%s", text, diff)
		}
		waits := slices.ContainsFunc(s.Attributes, func(a keys.Attribute) bool { return keys.Unread(a.Values) })
		if curve, is := s.Entity.Sizes.(*keys.Curve); is {
			waits = waits || curve.Unread()
		}
		if _, err := s.Generator(); err != nil && !waits {
			t.Fatalf("Generator() of %q = %v; want no error", text, err)
		}
	})
}

// FuzzText writes any text into the places that take one, and reads it back.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", " ", "true", "~", "a: b", "# a", "'", "\"\\", "\x00\x1f\x7f\u0085\u00a0\u2028\ufeff", "a\r\nb\n", "🏃 ", "- x", "{a}", "%", "\\u0041", "1e3", ".inf", "<<", "null", "...", "---", "\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 1000 {
			return
		}
		s := raceParsed()
		s.About = text
		s.Entity.Properties = append(s.Entity.Properties, scenarios.PropertySpec{Name: "Free", Type: "String", Value: "{free}"})
		s.Entity.Size = 5000
		s.Attributes = append(s.Attributes, keys.Attribute{Name: "free", Values: keys.ValueList{Values: []string{text, "x"}}})
		again, err := scenarios.Parse("text.yaml", s.Text())
		if err != nil {
			t.Fatalf("Parse(Text()) with %q = %v; want no error", text, err)
		}
		if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
			t.Fatalf("Parse(Text()) with %q differs (-want +got):\n%s", text, diff)
		}
	})
}
