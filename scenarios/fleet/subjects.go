package fleet

import "strings"

// subjects are where the ends of one run speak.
type subjects struct{ prefix string }

func subjectsOf(run string) subjects { return subjects{"loadgen.v1." + run} }

// ask is where a member speaks, answer where it listens; nobody else does either but the
// leader.
func (s subjects) ask(id string) string    { return s.prefix + ".member." + id + ".ask" }
func (s subjects) answer(id string) string { return s.prefix + ".member." + id + ".answer" }

// asks is where the leader listens.
func (s subjects) asks() string { return s.ask("*") }

// lead is where leaders find each other.
func (s subjects) lead() string { return s.prefix + ".lead" }

// member returns whose subject it is.
func (s subjects) member(subject string) (id string, is bool) {
	id, is = strings.CutPrefix(subject, s.prefix+".member.")
	if !is {
		return "", false
	}
	return strings.CutSuffix(id, ".ask")
}
