package target_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/target"
)

func TestTokenAsText(t *testing.T) {
	for _, row := range []struct {
		name  string
		token target.Token
		text  string
	}{
		{"no token is no text", target.Token{}, ""},
		{"two empty keys are a token", target.Token{Present: true}, "from.."},
		{"two keys", target.Token{Present: true, NextPartitionKey: "PA", NextRowKey: "001"}, "from.UEE.MDAx"},
		{"no row", target.Token{Present: true, NextPartitionKey: "p"}, "from.cA."},
		{"a point, a slash and a plus sign in the keys", target.Token{Present: true, NextPartitionKey: "a.b", NextRowKey: "\xfb\xff"}, "from.YS5i.-_8"},
		{"what a service packs", target.Token{Present: true, NextPartitionKey: "1!8!U21pdGg-", NextRowKey: "1!0!"}, "from.MSE4IVUyMXBkR2ct.MSEwIQ"},
	} {
		text, err := row.token.MarshalText()
		assert.Truef(t, err == nil && string(text) == row.text,
			"%s: %+v.MarshalText() = %q, %v; want %q", row.name, row.token, text, err, row.text)
		got := target.Token{Present: true, NextRowKey: "before"}
		if err := got.UnmarshalText([]byte(row.text)); err != nil || got != row.token {
			t.Errorf("%s: UnmarshalText(%q) = %+v, %v; want %+v", row.name, row.text, got, err, row.token)
		}
	}
}

func TestTextsThatAreNoToken(t *testing.T) {
	before := target.Token{Present: true, NextPartitionKey: "before"}
	for _, row := range []struct{ name, text, hint string }{
		{"a blank", " ", "expected from."},
		{"the mark alone", "from", "expected from."},
		{"one key", "from.cA", "expected from."},
		{"three keys", "from.cA.cA.cA", "RowKey"},
		{"another mark", "to.cA.cA", "expected from."},
		{"padding", "from.cA==.", "PartitionKey"},
		{"the other alphabet", "from.+/8.", "PartitionKey"},
		{"bits left over", "from.cB.", "PartitionKey"},
		{"one character of base64", "from..A", "RowKey"},
		{"a line end, which the decoder passes over", "from.cA.c\nA", "RowKey"},
		{"a blank before it", " from.cA.cA", "expected from."},
		{"more than any service gives", "from." + strings.Repeat("AAAA", 4096) + ".", "16384"},
	} {
		got := before
		err := got.UnmarshalText([]byte(row.text))
		assert.Truef(t, errors.Is(err, target.ErrToken) && strings.Contains(err.Error(), row.hint) && len(err.Error()) <= 200,
			"%s: UnmarshalText(%.40q) = %v; want ErrToken with %q in a short line", row.name, row.text, err, row.hint)
		assert.Truef(t, got == before,
			"%s: UnmarshalText(%.40q) left %+v; want the token as it was", row.name, row.text, got)
	}
}

// Whatever text is read as a token is written so again, and each token comes back
// from its text, through JSON too.
func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "from..", "from.cA.MDAx", "from.cB.", "from.cA.c\nA", "to.cA.cA"} {
		f.Add(text, "p", "r")
	}
	f.Add("from.AA.AA", "\x00", "\xff'\"\\")
	f.Fuzz(func(t *testing.T, text, partition, row string) {
		var read target.Token
		if err := read.UnmarshalText([]byte(text)); err == nil {
			if again, err := read.MarshalText(); err != nil || string(again) != text {
				t.Fatalf("UnmarshalText(%q) is written %q, %v; want the text", text, again, err)
			}
		} else if !errors.Is(err, target.ErrToken) {
			t.Fatalf("UnmarshalText(%q) = %v; want ErrToken", text, err)
		}
		token := target.Token{Present: true, NextPartitionKey: partition, NextRowKey: row}
		written, err := json.Marshal(token)
		if err != nil {
			t.Fatalf("Marshal(%+v) = %v; want no error", token, err)
		}
		if len(written) > 16<<10 {
			return
		}
		var back target.Token
		if err := json.Unmarshal(written, &back); err != nil || back != token {
			t.Fatalf("Unmarshal(%s) = %+v, %v; want %+v", written, back, err, token)
		}
	})
}
