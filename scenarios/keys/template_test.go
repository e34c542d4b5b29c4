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

func inAngles(attribute string) string { return "<" + attribute + ">" }

// Renamed attributes leave all else of a template as it is, whatever names columns have.
func TestRenamedAttributes(t *testing.T) {
	names := []string{"hash", "Trip ID", "M/F", "Start (UTC)", "a", "ä", "1"}
	for _, form := range []string{"{%s}", "x{{{%s}}}", "{hash(%s,16):02d}-{%s}", "{reverse(%s)}{prefix(%s,2)}", "{%s:05d}é{%s:hour}", "{hash(hash,3)}{%s}"} {
		for i, name := range names {
			other := "column" + strconv.Itoa(i)
			text, err := keys.ParseColumns(strings.ReplaceAll(form, "%s", name))
			if strings.Contains(form, "(%s") && strings.ContainsAny(name, "()") {
				continue // no function takes such a column
			}
			require.NoErrorf(t, err, "%s of %s", form, name)
			want := strings.ReplaceAll(form, "%s", other)
			if name == "hash" {
				want = strings.Replace(want, "(hash,3)", "("+other+",3)", 1)
			}
			assert.Equal(t, want, text.RenameAttributes(func(one string) string {
				if one == name {
					return other
				}
				return one
			}))
		}
	}
}

// lexeme is the grammar of a template, said a second way: a placeholder has a function
// or none, an attribute, a number or none, and a format or none.
var lexeme = regexp.MustCompile(`\{\{|\}\}|[^{}]+|` +
	`\{(?:([A-Za-z_][A-Za-z0-9_]{0,254})|(hash|prefix)\(([A-Za-z_][A-Za-z0-9_]{0,254}),([1-9][0-9]{0,9})\)|(reverse|lower|upper)\(([A-Za-z_][A-Za-z0-9_]{0,254})\))` +
	`(?::(?:0([1-9][0-9]?)d|(ticks|inverted|year|month|day|hour|minute|second)))?\}`)

// expandByPattern expands a template with a pattern, lists its attributes, and reports whether the text is one.
func expandByPattern(text string) (string, []string, bool) {
	var expanded strings.Builder
	var names []string
	at := 0
	for _, match := range lexeme.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if match[2*i] < 0 {
				return ""
			}
			return text[match[2*i]:match[2*i+1]]
		}
		if match[0] != at {
			return "", nil, false
		}
		at = match[1]
		found, call := group(0), group(2)+group(5)
		name := group(1) + group(3) + group(6)
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		n, _ := strconv.Atoi(group(4))
		width, _ := strconv.Atoi(group(7))
		switch {
		case name == "" && (found == "{{" || found == "}}"):
			expanded.WriteString(found[:1])
		case name == "":
			expanded.WriteString(found)
		case call == "hash" && n > 1_000_000_000, call == "prefix" && n > 512, width > 64, call != "" && group(8) != "":
			return "", nil, false
		case call == "hash":
			fmt.Fprintf(&expanded, "%0*d", max(1, width), hashByHand(inAngles(name))%uint64(n))
		default:
			expanded.WriteString(called(call, inAngles(name), n))
		}
	}
	return expanded.String(), names, at == len(text)
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
		"{hash(user,16):02d}_{prefix(a,2)}{at:inverted}", "{lower(a)}{upper(b)}{reverse(c):09d}", "{hash(a,0)}{a:hour:day}",
		"Full 10 km", "{a}{b}", "{b}_{a}_{b}", "{{a}}", "{a}}}b", "Zürich·{a}·東京", "{_a1}", "{hash(a,1):03d}{upper(b)}", "{a:hour}{b:05d}"} {
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
		want, names, ok := expandByPattern(text)
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
		if got := template.Attributes(); template.String() != text || !slices.Equal(got, names) {
			t.Fatalf("ParseTemplate(%q) is %q of %q; want the same text of %q", text, template.String(), got, names)
		}
	})
}
