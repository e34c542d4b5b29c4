package report_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// repeated returns the command that a report shows, as it would be copied.
func repeated(t *testing.T, command []string) string {
	t.Helper()
	record := &results.Record{Validity: results.Valid, Manifest: results.Manifest{Command: command}}
	_, shown, found := strings.Cut(text(t, record), "\nTo repeat it\n")
	require.Truef(t, found, "the report of %q shows no command", command)
	return strings.TrimSuffix(shown, "\n")
}

func TestCommandIsShownForAShell(t *testing.T) {
	for _, row := range []struct {
		name    string
		command []string
		want    string
	}{
		{"plain arguments stand as they are", []string{"loadgen", "stress", "--seed=7", "./a_b:c@d,e+f%"},
			"  loadgen stress --seed=7 ./a_b:c@d,e+f%"},
		{"spaces are quoted", []string{"loadgen", "two words"}, "  loadgen 'two words'"},
		{"an empty argument is one", []string{"loadgen", ""}, "  loadgen ''"},
		{"nothing is run by repeating", []string{"loadgen", "$(reboot)", "`x`", "a;b", "~", "*"},
			"  loadgen '$(reboot)' '`x`' 'a;b' '~' '*'"},
		{"a quote ends and begins again", []string{"loadgen", "it's"}, `  loadgen 'it'\''s'`},
		{"letters of every script can be shown", []string{"loadgen", "größe"}, "  loadgen 'größe'"},
		{"what cannot be shown is escaped", []string{"loadgen", "a\x1b[m\n'\\"}, `  loadgen $'a\033[m\012\'\\'`},
		{"so are bytes that are no text", []string{"loadgen", "\xff7"}, `  loadgen $'\3777'`},
	} {
		assert.Equal(t, row.want, repeated(t, row.command), row.name)
	}
}

// TestShellReadsTheCommandBack asks a shell itself.
func TestShellReadsTheCommandBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	arguments := []string{hostile, "it's", "", "two words", "$(echo x)", "\\", "\xff\xfe7", "!x", "a\tb", "-n", "größe 世界",
		strings.Repeat("long ", 40), strings.Repeat("x", 200), "last"}
	shown := repeated(t, append([]string{"printf", `%s\0`}, arguments...))
	out, err := exec.Command(bash, "-c", shown).Output()
	require.NoErrorf(t, err, "bash -c %q", shown)
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	assert.Equal(t, arguments, got, "what the shell reads")
}
