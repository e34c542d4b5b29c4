package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"loadgen/report/ranking"
	"loadgen/scenarios"
	"loadgen/scenarios/suggest"
)

// suggestHelp is what the help says of it.
const suggestHelp = `--suggest adds candidates that follow from what the scenario's operations ask for, says
why, and writes the scenario with the winner in use: to --write, or suggested.yaml in the
folder of the contest. Of several that share the first place it is the one with the
fewest copies, and of those the first that was proposed.`

// suggestFlags are those that ask for candidates.
type suggestFlags struct {
	suggest bool
	write   string
}

func (f *suggestFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.suggest, "suggest", false, "let designs take part that follow from what the operations ask for")
	flags.StringVar(&f.write, "write", "", "with --suggest: the `file` for the scenario with the winner (default: suggested.yaml in the folder)")
}

func (f *suggestFlags) validate() []error {
	if f.write != "" && !f.suggest {
		return []error{errors.New("--write is for what --suggest comes to; expected --suggest beside it")}
	}
	return nil
}

// suggestion returns the scenario with candidates before its own designs, where that was
// asked for, and tells the reasons for them.
func (f *designsFlags) suggestion(s *scenarios.Scenario, t *tournament, folder string) (*scenarios.Scenario, error) {
	if !f.suggest {
		return s, nil
	}
	sound, err := soundUnder(s)
	if err != nil {
		return nil, err
	}
	if err := readFiles(sound, folder); err != nil {
		return nil, err
	}
	targets, times, err := targetsOf(sound)
	if err != nil {
		return nil, err
	}
	proposal, err := suggest.Designs(sound, suggest.Options{Targets: &targets, Times: times, Beside: true})
	if err != nil {
		return nil, usageError{fmt.Errorf("--suggest: %w", err)}
	}
	proposed, err := proposal.Scenario()
	if err != nil {
		return nil, err
	}
	t.proposal = proposal
	if len(f.designs) > 0 {
		f.designs = withCandidates(f.designs, proposal)
	}
	return proposed, nil
}

// soundUnder returns the scenario with a design in use that can serve it: its own, or
// else the first that can.
func soundUnder(s *scenarios.Scenario) (*scenarios.Scenario, error) {
	for _, design := range append([]string{s.Use}, s.Alternatives()...) {
		if len(s.Obstacles(design)) == 0 {
			return s.Under(design)
		}
	}
	return nil, usageError{errors.New("--suggest: no design of the scenario can serve all of its operations, so that what they ask for is not sure; " +
		"expected one that can, however badly")}
}

// withCandidates returns the designs that were named and all candidates, each once.
func withCandidates(named []string, proposal *suggest.Proposal) []string {
	for i := range proposal.Candidates {
		if name := proposal.Candidates[i].Design.Name; !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	return named
}

// best returns the design that came first, and those that share its place. Of designs
// between which no difference is shown it is the one with the fewest copies, and of those
// the one that was proposed first, before the file's own: what comes first by chance is
// none to go by.
func (t *tournament) best(contest *ranking.Contest) (design string, shared []string) {
	var first []*ranking.Ranked
	for i := range contest.Ranking {
		if one := &contest.Ranking[i]; len(one.Cannot) == 0 && one.Rank != nil && *one.Rank == 1 {
			first = append(first, one)
		}
	}
	if len(first) == 0 {
		return "", nil
	}
	place := func(name string) int {
		at := slices.IndexFunc(t.proposal.Candidates, func(c suggest.Candidate) bool { return c.Design.Name == name })
		if at < 0 {
			return len(t.proposal.Candidates)
		}
		return at
	}
	slices.SortStableFunc(first, func(a, b *ranking.Ranked) int {
		return cmp.Or(cmp.Compare(a.Copies, b.Copies), cmp.Compare(place(a.Design), place(b.Design)))
	})
	for _, one := range first[1:] {
		shared = append(shared, one.Design)
	}
	return first[0].Design, shared
}

// winner writes the scenario with the design that came first in use: ready to be run
// where it stands.
func (f *designsFlags) winner(t *tournament, contest *ranking.Contest) (string, error) {
	if t.proposal == nil {
		return "", nil
	}
	design, shared := t.best(contest)
	if design == "" {
		return "", nil
	}
	path := cmp.Or(f.write, filepath.Join(string(t.folder), "suggested.yaml"))
	s, err := t.scenario.Under(design)
	if err != nil {
		return "", err
	}
	if s, err = s.Moved(func(file string) string { return fromFolder(t.source, filepath.Dir(path), file) }); err != nil {
		return "", err
	}
	tie := ""
	if len(shared) > 0 {
		tie = "# No difference is shown between it and " + strings.Join(shared, ", ") + ".\n"
	}
	text := fmt.Sprintf("# The scenario %s with the design %s in use, as `loadgen contest --suggest` left it.\n%s"+
		"# How the designs compared: contest.json in the folder of the contest.\n%s", s.Name, s.Use, tie, s.Text())
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return "", usageError{fmt.Errorf("--write %s: %w", path, reason(err))}
	}
	return path, nil
}

// fromFolder returns the path of a file, which counts from one folder, as it counts from
// another.
func fromFolder(was, is, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	whole := filepath.Join(was, filepath.FromSlash(file))
	absolute, err := filepath.Abs(whole)
	if err != nil {
		return whole
	}
	folder, err := filepath.Abs(is)
	if err != nil {
		return absolute
	}
	near, err := filepath.Rel(folder, absolute)
	if err != nil {
		return absolute
	}
	return filepath.ToSlash(near)
}
