//go:build ci

package main

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/model"
)

func TestVegetaKeepsToTheBudget(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	const budget, workers = 40, 8
	code, stdout, stderr := say(t, s.args("--yes", "--driver", "vegeta", "--budget", fmt.Sprint(budget), "--rate", "1000")...)
	if code != codeOk || !strings.Contains(stdout, "the budget of billed transactions was spent") {
		t.Errorf("stress --budget = %d, stderr %q\n%s\nwant 0, and why it is partial", code, stderr, stdout)
	}
	// Beside those under way there are one before and one after, and whatever a busy
	// machine sends until it comes to stop: at a thousand a second, some.
	const stopping = 50
	if seen := s.handler.Counts().Requests; seen < budget || seen > 1+budget+workers+1+stopping {
		t.Errorf("%d requests of a budget of %d; want at most %d under way, and %d until it stops", seen, budget, workers, stopping)
	}
	if left := s.engine.TableNames("races"); len(left) > 0 {
		t.Errorf("the run left the tables %v", left)
	}
}
