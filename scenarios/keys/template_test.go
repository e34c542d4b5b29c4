package keys_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		{"a function is of an attribute, and may have a format", "{hash(a,1):03d}{upper(b)}", "000<B>", []string{"a", "b"}},
		{"a format belongs to an attribute", "{a:hour}{b:05d}", "<a><b>", []string{"a", "b"}},
	} {
		template, err := keys.ParseTemplate(tt.text)
		require.NoErrorf(t, err, "%s: ParseTemplate(%q)", tt.name, tt.text)
		assert.Equalf(t, tt.expanded, template.Expand(inAngles), "%s: ParseTemplate(%q).Expand", tt.name, tt.text)
		assert.Equalf(t, tt.attributes, template.Attributes(), "%s: ParseTemplate(%q).Attributes()", tt.name, tt.text)
		assert.Equalf(t, tt.text, template.String(), "%s: ParseTemplate(%q).String()", tt.name, tt.text)
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
		{"an open brace at the end is never closed", "ab{", 2, "unclosed"},
		{"a name without its closing brace is never closed", "a{event", 1, "unclosed"},
		{"a brace inside a placeholder leaves the first one open", "{ev{ent}", 0, "unclosed"},
		{"a closing brace closes nothing", "a}b", 1, "unmatched"},
		{"a closing brace after a placeholder closes nothing", "{a}}", 3, "unmatched"},
		{"a placeholder needs a name", "a{}", 2, `placeholder ""`},
		{"a name has no blanks", "{ event }", 1, `placeholder " event "`},
		{"a name does not begin with a digit", "x{1a}", 2, `placeholder "1a"`},
		{"a function that does not exist is answered with the nearest", "x{hsah(a,2)}", 2, `unknown function "hsah"; did you mean "hash"?`},
		{"a call is closed", "{hash(a,2}", 1, `"hash(a,2" is no call; expected`},
		{"a call is opened", "{hash a,2)}", 1, `"hash a,2)" is no call; expected`},
		{"functions are not nested, for an attribute can be derived", "{hash(lower(a),2)}", 1, `is no call; expected`},
		{"a function is of an attribute", "{lower(1a)}", 7, `lower is called with "1a"; expected an attribute`},
		{"hash needs a modulus", "{hash(a)}", 7, `hash has 1 arguments; expected 2, as in hash(user,16)`},
		{"reverse has no second argument", "{reverse(ab,2)}", 11, `reverse has 2 arguments; expected 1, as in reverse(user)`},
		{"a modulus of zero divides nothing", "{hash(a,0)}", 8, `hash is called with "0"; expected 1 to 1000000000`},
		{"a modulus is bounded", "{hash(a,1000000001)}", 8, `expected 1 to 1000000000`},
		{"a count has no sign", "{prefix(a,+2)}", 10, `prefix is called with "+2"; expected 1 to 512`},
		{"a count is no more than 64 bits", "{prefix(a,99999999999999999999)}", 10, "expected 1 to 512"},
		{"a third argument is no number", "{prefix(a,2,3)}", 10, `prefix is called with "2,3"`},
		{"a format that does not exist is answered with the nearest", "{at:huor}", 4, `unknown format "huor"; did you mean "hour"?`},
		{"a format is not empty", "{at:}", 4, `unknown format ""; expected 05d, ticks`},
		{"a padding has a zero", "{bib:5d}", 5, `padding is "5d"; expected 01d to 064d`},
		{"a padding has a width", "{bib:0d}", 5, `padding is "0d"`},
		{"a padding is bounded", "{bib:065d}", 5, "01d to 064d"},
		{"a format of a time is not for what a function yields", "{lower(at):hour}", 11, "hour formats times"},
		{"there is one format", "{at:hour:02d}", 4, `unknown format "hour:02d"`},
		{"offsets count bytes, not characters", "ü{", 2, "unclosed"},
		{"a text must be UTF-8", "ab\xff", 2, "not UTF-8"},
		{"a text is at most 4 KiB long", strings.Repeat("x", 4097), 4096, "4097 bytes; expected at most 4096"},
	} {
		_, err := keys.ParseTemplate(tt.text)
		var fault *keys.TemplateError
		require.Truef(t, errors.As(err, &fault),
			"%s: ParseTemplate(%.20q) = %v; want a TemplateError", tt.name, tt.text, err)
		assert.Truef(t, fault.Offset == tt.offset && strings.Contains(fault.What, tt.what),
			"%s: ParseTemplate(%.20q) = byte %d: %s; want byte %d: …%s…", tt.name, tt.text, fault.Offset, fault.What, tt.offset, tt.what)
	}
}

// lexeme is the grammar of a template, said a second way: a placeholder has a function
// or none, an attribute, a number or none, and a format or none.
var lexeme = regexp.MustCompile(`\{\{|\}\}|[^{}]+|` +
	`\{(?:([A-Za-z_][A-Za-z0-9_]{0,254})|(hash|prefix)\(([A-Za-z_][A-Za-z0-9_]{0,254}),([1-9][0-9]{0,9})\)|(reverse|lower|upper)\(([A-Za-z_][A-Za-z0-9_]{0,254})\))` +
	`(?::(?:0([1-9][0-9]?)d|(ticks|inverted|year|month|day|hour|minute|second)))?\}`)

// expandByPattern expands a template with a pattern, and reports whether the text is
// one.
func expandByPattern(text string) (string, bool) {
	var expanded strings.Builder
	at := 0
	for _, match := range lexeme.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if match[2*i] < 0 {
				return ""
			}
			return text[match[2*i]:match[2*i+1]]
		}
		if match[0] != at {
			return "", false
		}
		at = match[1]
		found, call := group(0), group(2)+group(5)
		name := group(1) + group(3) + group(6)
		n, _ := strconv.Atoi(group(4))
		width, _ := strconv.Atoi(group(7))
		switch {
		case name == "" && (found == "{{" || found == "}}"):
			expanded.WriteString(found[:1])
		case name == "":
			expanded.WriteString(found)
		case call == "hash" && n > 1_000_000_000, call == "prefix" && n > 512, width > 64, call != "" && group(8) != "":
			return "", false
		case call == "hash":
			fmt.Fprintf(&expanded, "%0*d", max(1, width), hashByHand(inAngles(name))%uint64(n))
		default:
			expanded.WriteString(called(call, inAngles(name), n))
		}
	}
	return expanded.String(), at == len(text)
}

// called calls a function of text a second way. What is in angles is no number and no
// time, and so no format alters it.
func called(function, text string, n int) string {
	switch function {
	case "reverse":
		letters := []rune(text)
		slices.Reverse(letters)
		return string(letters)
	case "prefix":
		return string([]rune(text)[:min(n, len([]rune(text)))])
	case "lower":
		return strings.ToLower(text)
	case "upper":
		return strings.ToUpper(text)
	default:
		return text
	}
}

// hashByHand is FNV-1a of the standard library and the finaliser with integers of any
// size.
func hashByHand(text string) uint64 {
	fnv := fnv.New64a()
	fnv.Write([]byte(text))
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(1))
	h := new(big.Int).SetUint64(fnv.Sum64())
	for _, factor := range []string{"ff51afd7ed558ccd", "c4ceb9fe1a85ec53"} {
		h.Xor(h, new(big.Int).Rsh(h, 33))
		by, _ := new(big.Int).SetString(factor, 16)
		h.And(h.Mul(h, by), mask)
	}
	return h.Xor(h, new(big.Int).Rsh(h, 33)).Uint64()
}

func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"", "{event}__{distance}", "{{{a}}}", "}{", "{a}}", "ü{ü}", "{bib:05d}", "a\xffb", "{{}}{a}{{",
		"{hash(user,16):02d}_{prefix(a,2)}{at:inverted}", "{lower(a)}{upper(b)}{reverse(c):09d}", "{hash(a,0)}{a:hour:day}"} {
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
