//go:build ci

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// Those pages whose commands take seconds. The picture beside the contest of usage.md is heat.png of
// the same command.
func TestOtherPagesShowWhatTheCommandsPrint(t *testing.T) {
	for _, p := range []shownPage{
		{"your-own-table.md", []string{"race.csv.gz", "race.yaml", "fleet.yaml"}, "", 5},
		{"usage.md", nil, "loadgen contest ", 1},
	} {
		t.Run(p.name, p.check)
	}
}

// The page about back-off shows what two commands print.
func TestBackoffPageShowsWhatTheCommandsPrint(t *testing.T) {
	page := pageOf(t, "docs/backoff.md")
	path, err := filepath.Abs("../../docs/backoff.md")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for i, typed := range []string{"backoff contest --outage 15s --clients 500 --out o", "backoff show documented --out p"} {
		shown := blocksOf(page, "text")[i]
		_, stdout, _ := say(t, strings.Fields(typed)...)
		if diff := cmp.Diff(shown, stdout); diff != "" && !*rewrite {
			t.Errorf("docs/backoff.md differs from what `loadgen %s` prints (-page +printed):\n%s", typed, diff)
		}
		page = strings.Replace(page, shown, stdout, 1)
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	}
}
