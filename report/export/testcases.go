package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"loadgen/results"
)

// TestCases writes a run as JUnit's XML. The first case is that the run is valid, which is
// an error where it is not; each check is one more, a failure with what was observed
// where it is not met, skipped where it could not be judged; so is that a search found a rate that holds, and where the
// writes were verified that they are all there. What the run came to is a property. Its error is the writer's, wrapped.
func TestCases(w io.Writer, record *results.Record, summary *results.Summary) error {
	suite, m, ok := Suite{Name: "loadgen run"}, &record.Manifest, ""
	if summary.Ok != nil {
		ok = strconv.FormatBool(*summary.Ok)
	}
	for _, p := range []struct{ name, value string }{
		{"state", summary.State}, {"ok", ok}, {"verdict", summary.Verdict}, {"scenario", m.Scenario.Name}, {"target", m.Target}, {"profile", m.Profile}, {"start", m.Start},
		{"time", m.Time}, {"seed", strconv.FormatUint(m.Seed, 10)}, {"started", summary.Started},
		{"duration_s", Decimal(summary.DurationS)}, {"operations", strconv.FormatInt(summary.Operations, 10)},
		{"attempts", strconv.FormatInt(summary.Attempts, 10)}, {"ok", strconv.FormatInt(summary.OkAttempts, 10)},
		{"throttled", strconv.FormatInt(summary.Throttled, 10)}, {"failed", strconv.FormatInt(summary.Failed, 10)},
	} {
		if p.value != "" {
			suite.Properties = append(suite.Properties, Property{Name: p.name, Value: p.value})
		}
	}
	class := "loadgen.run." + Word(short(m.Scenario.Name))
	var reasons []string
	for _, reason := range summary.Reasons {
		reasons = append(reasons, Plain(reason))
	}
	// Where a run is not valid the other cases say little.
	valid := Case{Class: class, Name: "the run is valid", Kind: summary.Validity, Message: Plain(summary.Verdict),
		Lines: strings.Join(reasons, "\n")}
	if summary.Validity != results.Valid {
		valid.Status = Error
		valid.Message = strings.Join(append([]string{"the run is " + summary.Validity}, reasons...), "; ")
	}
	suite.Cases = append(suite.Cases, valid)
	for _, e := range summary.Checks {
		one := Case{Class: class, Name: short(e.Expr), Kind: "check", Message: short("observed " + e.Observed), Lines: short("observed " + e.Observed)}
		switch {
		case e.Fails():
			one.Status = Failure
		case !e.Told():
			one.Status, one.Kind, one.Message, one.Lines = Skipped, results.CannotTell, short(e.Said()), ""
		}
		suite.Cases = append(suite.Cases, one)
	}
	if l := summary.Limit; l != nil {
		one := Case{Class: class, Name: "a rate holds", Kind: "limit", Message: Plain(summary.Verdict), Lines: Plain(summary.Verdict)}
		switch {
		case summary.State == results.CannotTell:
			one.Status, one.Kind, one.Lines = Skipped, results.CannotTell, ""
		case l.Held == nil:
			one.Status = Failure
		}
		suite.Cases = append(suite.Cases, one)
	}
	if a := summary.Audit; a != nil {
		said := fmt.Sprintf("%d acknowledged writes are lost, %d counters were raised too often", a.Lost, a.Doubled)
		one := Case{Class: class, Name: "every acknowledged write is there, once", Kind: "audit", Message: said, Lines: said}
		if !a.Sound() {
			one.Status = Failure
		}
		suite.Cases = append(suite.Cases, one)
	}
	return JUnit(w, &suite)
}
