package figure_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/figure"
)

func TestParseFigureRefuses(t *testing.T) {
	for text, offset := range map[string]int{"": 0, "p99(get) < 20ms": 9, "p9": 0, "counter": 0} {
		_, err := figure.ParseFigure(text)
		var fault *figure.ClaimFault
		assert.Truef(t, errors.As(err, &fault) && errors.Is(err, figure.ErrClaimSyntax) && fault.Offset == offset,
			"ParseFigure(%q) = %v; want a fault at byte %d", text, err, offset)
	}
}

// Any text is refused in words or is a figure whose text is one again, and the same.
func FuzzParseFigure(f *testing.F) {
	for _, text := range []string{"p99(get)", `served("a""b", peak)`, "offered(account)", "counter(look, both)", "p99(", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, err := figure.ParseFigure(text)
		if err != nil {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseFigure(%q)", text)
			return
		}
		again, err := figure.ParseFigure(one.String())
		require.Truef(t, err == nil && again.String() == one.String(),
			"ParseFigure(%q) = %q, and that is %q, %v", text, one, again, err)
	})
}
