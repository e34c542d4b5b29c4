package scenarios_test

import (
	"errors"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// largeLoad is a load whose keys take long to generate: sound, but no use to a
// fuzzer.
var largeLoad = regexp.MustCompile(`entities\W+[0-9]{5,}`)

func FuzzParse(f *testing.F) {
	f.Add([]byte(race))
	f.Add([]byte(everything))
	f.Add(parsed(f, race).Text())
	for _, name := range scenarios.Library() {
		source, err := scenarios.Source(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	f.Add([]byte("name: [a, {b: c}]\n? x\n: y"))
	f.Add([]byte("a: &x\n  - *x\n- - -\n"))
	f.Add([]byte("{name: \"\\u0000\", phases: [{name: x, load: {entities: 1}}]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 20_000 || largeLoad.Match(text) {
			return
		}
		s, err := scenarios.Parse("fuzz.yaml", text)
		if err != nil {
			var faults scenarios.Faults
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
		again, err := scenarios.Parse("again.yaml", s.Text())
		if err != nil {
			t.Fatalf("Parse(Text()) of %q = %v; want no error", text, err)
		}
		if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
			t.Fatalf("Parse(Text()) of %q differs (-want +got):\n%s", text, diff)
		}
		if _, err := s.Generator(); err != nil {
			t.Fatalf("Generator() of %q = %v; want no error", text, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	source, err := scenarios.Source("stress")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := scenarios.Parse("stress.yaml", source); err != nil {
			b.Fatal(err)
		}
	}
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
		s.Attributes = append(s.Attributes, keys.Attribute{Name: "free", Values: keys.List{Values: []string{text, "x"}}})
		again, err := scenarios.Parse("text.yaml", s.Text())
		if err != nil {
			t.Fatalf("Parse(Text()) with %q = %v; want no error", text, err)
		}
		if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
			t.Fatalf("Parse(Text()) with %q differs (-want +got):\n%s", text, diff)
		}
	})
}
