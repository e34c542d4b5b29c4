package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/run"
)

func TestDriverRefusesWhatVegetaCannotDo(t *testing.T) {
	leftOutWhenShort(t)
	const operations = "phases.peak.operations="
	for _, row := range []struct {
		name string
		args []string
		// says is part of the line.
		says string
	}{
		{"a driver that does not exist", []string{"stress", "--driver", "wrk"}, "--driver wrk: expected native or vegeta"},
		{"a driver that is nearly one", []string{"run", "stress", "--driver", "vegta"}, "--driver vegta: the nearest is vegeta"},
		{"no driver", []string{"stress", "--driver="}, "--driver: expected a value"},
		{"a target without HTTP", []string{"stress", "--driver", "vegeta", "--target", "in-process"}, "--target in-process has none"},
		{"a search", []string{"stress", "--driver", "vegeta", "--find-limit", "partition"}, "--find-limit needs the native driver"},
		{"writes that are read back", []string{"stress", "--driver", "vegeta", "--verify-writes"}, "--verify-writes needs the native driver"},
		{"retries", []string{"stress", "--driver", "vegeta", "--retry", "short"}, "the policy short does; expected --retry none"},
		{"retries by a setting", []string{"run", "stress", "--driver", "vegeta", "--set", "retry=documented"}, "the policy documented does"},
		{"a read before a write", []string{"stress", "--driver", "vegeta", "--set", operations + "[{name: lap, verb: merge, counter: Laps, read_first: true}]"},
			"the operation lap of the phase peak reads before it writes"},
		{"a query of several pages", []string{"stress", "--driver", "vegeta", "--set", operations + "[{name: scan, verb: query, class: partition-scan}]"},
			"the operation scan of the phase peak may read several pages"},
		{"more rows than a page holds", []string{"stress", "--driver", "vegeta", "--set", operations + "[{name: some, verb: query, class: rows, rows: 100, top: 50}]"},
			"the operation some of the phase peak may read several pages"},
		{"writes that the scenario has read back", []string{"stress", "--driver", "vegeta", "--set", "verify=true"}, "the scenario verifies its writes"},
		{"a workflow", []string{"run", "bank-transfer", "--driver", "vegeta"}, "the operation transfer of the phase day is the workflow transfer"},
		{"copies", []string{"run", "copied.yaml", "--driver", "vegeta"}, "the operation put of the phase measure writes copies"},
		{"a closed loop", []string{"run", "closed.yaml", "--driver", "vegeta"}, "the phase measure is a closed loop of 4 clients"},
		{"a verb that has no drivers", []string{"simulate", "--driver", "vegeta"}, "no flag --driver"},
	} {
		ownFiles(t)
		closed := strings.Replace(ownTable, "arrivals: {constant: 100}", "clients: 4\n      think: 10ms", 1)
		if err := os.WriteFile("closed.yaml", []byte(closed), 0o600); err != nil {
			t.Fatal(err)
		}
		copied := strings.NewReplacer(`row_key: "{bib}"}`, `row_key: "{bib}", copies: [{name: bibs, partition_key: "b{bib}", row_key: "{event}"}]}`,
			"{verb: insert}]", "{name: put, verb: insert}]")
		if err := os.WriteFile("copied.yaml", []byte(copied.Replace(ownTable)), 0o600); err != nil {
			t.Fatal(err)
		}
		before := leftIn(t, ".")
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
		if after := leftIn(t, "."); !slices.Equal(after, before) {
			t.Errorf("%s: left %v; want nothing new", row.name, after)
		}
	}
}

// A run by vegeta against an engine that it meets as a stranger closes its books
// with that, and says who sent it.
func TestVegetaDrivesARun(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, s.args("--yes", "--verbose", "--driver", "vegeta")...)
	if code != codeOk {
		t.Fatalf("--driver vegeta = %d: %s", code, stderr)
	}
	for _, want := range []string{"real time · driver vegeta · client net/http · seed", "retries, policy none: none", "--driver=vegeta"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	record := read(t, "run")
	if m := record.Manifest; m.Driver != run.Vegeta || m.Retry != "none" || !strings.Contains(m.Scenario.Text, "retry: none") {
		t.Errorf("the record is of driver %q and policy %q; want vegeta, and none, in the scenario too", m.Driver, m.Retry)
	}
	sum, seen := record.Total(results.Everything), s.handler.Counts()
	if sum.Attempts != seen.Requests-1 || sum.Counted != seen.Entities || sum.Failed != 0 || sum.Scheduled != sum.Sent+sum.Dropped {
		t.Errorf("%+v; the service saw %+v, one of them the question before", sum, seen)
	}
	if c := record.Connections; c.Opened+c.Reused < sum.Attempts || c.FirstByte.Count < sum.Attempts {
		t.Errorf("connections %+v; want those of all %d attempts", c, sum.Attempts)
	}
	if steps := record.Total(results.Reported); steps.Sent != 60 || steps.Succeeded != 60 {
		t.Errorf("%+v; want 60 operations sent, all with success", steps)
	}
}
