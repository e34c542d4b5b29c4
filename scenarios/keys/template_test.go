package keys_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loadgen/scenarios/keys"
)

func TestParseTemplate(t *testing.T) {
	for _, tt := range []struct {
		name       string
		text       string
		expanded   string
		attributes []string
	}{
		{"no text is the template of the empty text", "", "", nil},
		{"text without braces stands for itself", "Full 10 km", "Full 10 km", nil},
		{"a placeholder stands for its value", "{event}", "<event>", []string{"event"}},
		{"placeholders may touch", "{a}{b}", "<a><b>", []string{"a", "b"}},
		{"an attribute may occur twice and is listed once", "{b}_{a}_{b}", "<b>_<a>_<b>", []string{"b", "a"}},
		{"doubled braces stand for single ones", "{{{a}}}", "{<a>}", []string{"a"}},
		{"doubled braces alone name nothing", "{{a}}", "{a}", nil},
		{"three closing braces after a name close it and escape one", "{a}}}b", "<a>}b", []string{"a"}},
		{"characters beyond ASCII stand for themselves", "Zürich·{a}·東京", "Zürich·<a>·東京", []string{"a"}},
		{"names may hold digits and underscores", "{_a1}", "<_a1>", []string{"_a1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			template, err := keys.ParseTemplate(tt.text)
			if err != nil {
				t.Fatalf("ParseTemplate(%q) = %v; want no error", tt.text, err)
			}
			if got := template.Expand(inAngles); got != tt.expanded {
				t.Errorf("ParseTemplate(%q).Expand = %q; want %q", tt.text, got, tt.expanded)
			}
			if got := template.Attributes(); !slices.Equal(got, tt.attributes) {
				t.Errorf("ParseTemplate(%q).Attributes() = %q; want %q", tt.text, got, tt.attributes)
			}
			if got := template.String(); got != tt.text {
				t.Errorf("ParseTemplate(%q).String() = %q; want the same text", tt.text, got)
			}
		})
	}
}

func inAngles(attribute string) string { return "<" + attribute + ">" }

func TestParseTemplateFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		text   string
		offset int
		what   string
	}{
		{"an open brace at the end is never closed", "ab{", 2, "never closed"},
		{"a name without its closing brace is never closed", "a{event", 1, "never closed"},
		{"a brace inside a placeholder leaves the first one open", "{ev{ent}", 0, "never closed"},
		{"a closing brace closes nothing", "a}b", 1, "closes nothing"},
		{"a closing brace after a placeholder closes nothing", "{a}}", 3, "closes nothing"},
		{"a placeholder needs a name", "a{}", 2, `the placeholder holds ""`},
		{"a name has no blanks", "{ event }", 1, `the placeholder holds " event "`},
		{"a name does not begin with a digit", "x{1a}", 2, `the placeholder holds "1a"`},
		{"functions of attributes are not known", "{bib:05d}", 1, `the placeholder holds "bib:05d"`},
		{"offsets count bytes, not characters", "ü{", 2, "never closed"},
		{"a text must be UTF-8", "ab\xff", 2, "not UTF-8"},
		{"a text is at most 4 KiB long", strings.Repeat("x", 4097), 4096, "4097 bytes; expected at most 4096"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := keys.ParseTemplate(tt.text)
			var fault *keys.TemplateError
			if !errors.As(err, &fault) || !errors.Is(err, keys.ErrTemplate) {
				t.Fatalf("ParseTemplate(%.20q) = %v; want a TemplateError that wraps ErrTemplate", tt.text, err)
			}
			if fault.Offset != tt.offset || !strings.Contains(fault.What, tt.what) {
				t.Errorf("ParseTemplate(%.20q) = byte %d: %s; want byte %d: …%s…", tt.text, fault.Offset, fault.What, tt.offset, tt.what)
			}
		})
	}
}

// lexeme is the grammar of a template, said a second way.
var lexeme = regexp.MustCompile(`\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]{0,254})\}|[^{}]+`)

// expandByPattern expands a template with a pattern, and reports whether the
// text is one.
func expandByPattern(text string) (string, bool) {
	var expanded strings.Builder
	at := 0
	for _, match := range lexeme.FindAllStringSubmatchIndex(text, -1) {
		if match[0] != at {
			return "", false
		}
		switch found := text[match[0]:match[1]]; {
		case match[2] >= 0:
			expanded.WriteString(inAngles(text[match[2]:match[3]]))
		case found == "{{" || found == "}}":
			expanded.WriteString(found[:1])
		default:
			expanded.WriteString(found)
		}
		at = match[1]
	}
	return expanded.String(), at == len(text)
}

func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"", "{event}__{distance}", "{{{a}}}", "}{", "{a}}", "ü{ü}", "{bib:05d}", "a\xffb", "{{}}{a}{{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		template, err := keys.ParseTemplate(text)
		if len(text) > 4096 || strings.ToValidUTF8(text, "") != text {
			if err == nil {
				t.Fatalf("ParseTemplate(%q) = no error; want one", text)
			}
			return
		}
		want, ok := expandByPattern(text)
		if ok != (err == nil) {
			t.Fatalf("ParseTemplate(%q) = %v; a pattern says that it is a template: %t", text, err, ok)
		}
		if err != nil {
			var fault *keys.TemplateError
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("ParseTemplate(%q) = %#v; want a TemplateError inside the text", text, err)
			}
			return
		}
		if got := template.Expand(inAngles); got != want {
			t.Fatalf("ParseTemplate(%q).Expand = %q; want %q", text, got, want)
		}
		if template.String() != text {
			t.Fatalf("ParseTemplate(%q).String() = %q; want the same text", text, template.String())
		}
	})
}
