package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loadgen/scenarios/fields"
)

// AntiPattern turns an example into what it warns of: the same scenario with some values
// set otherwise, under which at least one of its expectations fails.
type AntiPattern struct {
	_ struct{} `object:"anti_pattern"`
	// About says what is done wrong, Why what in the documents' rules makes it fail.
	About string `yaml:"about,required" says:"The mistake." max:"10000"`
	Why   string `yaml:"why" says:"Why that fails." max:"10000"`
	// Fails are those of the scenario's checks that it promises to fail, as they are
	// written there. Where it names none it promises that any of them fails.
	Fails []string `yaml:"fails" says:"Checks of expect that must fail; any one by default." list:"0..50 checks of expect" max:"2000"`
	// Set are the values, each for a path as [Scenario.Set] takes it, in the order of
	// the file.
	Set []Setting `yaml:"set,required" says:"Values by path, such as phases.peak.each." form:"settings"`
}

// Setting is another value for what stands at a path.
type Setting struct{ Path, Value string }

// String returns the setting as path=value.
func (s Setting) String() string { return s.Path + "=" + s.Value }

// Settings returns the settings that texts of the form path=value are.
func Settings(texts ...string) []Setting {
	var list []Setting
	for _, one := range texts {
		path, value, _ := strings.Cut(one, "=")
		list = append(list, Setting{path, value})
	}
	return list
}

const maxSettings = 50

// settingsValue is a map from paths to values.
type settingsValue struct{ into *[]Setting }

func (v settingsValue) Read(r *fields.Reader, path string, n *fields.Node) {
	if n.Kind != fields.Dict || len(n.Entries) == 0 || len(n.Entries) > maxSettings {
		r.Expect(n, path, fmt.Sprintf("a map from paths to values, 1 to %d, such as {use: by-hour}", maxSettings))
		return
	}
	*v.into = nil
	for at, e := range r.Entries(path, n, "") {
		one := Setting{Path: e.Key}
		if e.Value.Kind == fields.List || e.Value.Kind == fields.Dict {
			one.Value = fields.Inline(quoted(e.Value))
		} else {
			fields.Text{Into: &one.Value}.Read(r, at, e.Value)
		}
		*v.into = append(*v.into, one)
	}
}

// bare is what reads the same with and without quotes around it, in a list too.
var bare = regexp.MustCompile(`^[0-9A-Za-z_.%-]+$`)

// quoted returns a value whose texts stand in quotes where they need them on one line.
func quoted(n *fields.Node) *fields.Node {
	other := *n
	other.Quoted = n.Quoted || n.Kind == fields.Scalar && !bare.MatchString(n.Text)
	other.Items, other.Entries = nil, nil
	for _, item := range n.Items {
		other.Items = append(other.Items, quoted(item))
	}
	for _, e := range n.Entries {
		other.Entries = append(other.Entries, fields.Entry{Key: e.Key, At: e.At, Value: quoted(e.Value)})
	}
	return &other
}

func (v settingsValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict}
	for _, one := range *v.into {
		n.Entries = append(n.Entries, fields.Entry{Key: one.Path, Value: fields.TextNode(one.Value)})
	}
	return n
}

// Opposed returns the scenario with the values of its anti-pattern, nil where it has
// none. The error is [fields.Faults].
func (s *Scenario) Opposed() (*Scenario, error) {
	if s.AntiPattern == nil {
		return nil, nil
	}
	opposed, _ := decode(s.encode())
	if err := opposed.SetAll(s.AntiPattern.Set); err != nil {
		return nil, err
	}
	return opposed, nil
}

// antiPattern checks that what turns the example round can be set, and is a scenario, and
// that what it promises to fail is checked.
func (c *checker) antiPattern() {
	if c.AntiPattern == nil || len(c.before) > 0 || len(c.found) > 0 {
		return
	}
	c.among("check of expect", c.AntiPattern.Fails, c.Expect, "anti_pattern.fails")
	opposed, err := c.Opposed()
	if err == nil {
		// An anti-pattern of an anti-pattern is not supported.
		opposed.AntiPattern = nil
		err = fields.Faults(opposed.check(nil)).ErrorOrNil()
	}
	faults, _ := err.(fields.Faults)
	for _, fault := range slices.Clone(faults) {
		c.add("anti_pattern.set", "invalid as set here: %s", fault.What)
	}
}

func (v settingsValue) Schema() *fields.Schema {
	return &fields.Schema{Type: fields.Types{"object"}, MinProperties: 1, MaxProperties: maxSettings}
}

// Pattern is a design pattern of the documents: advice with a price.
type Pattern struct {
	_ struct{} `object:"a pattern"`
	// Row is one of [PatternRows].
	Row string `yaml:"row,required" says:"The documented pattern." form:"pattern" json:"row"`
	// Buys and Costs say in a few words what it gains and what is paid for that.
	Buys  string `yaml:"buys,required" says:"What it gains." max:"200" json:"buys"`
	Costs string `yaml:"costs,required" says:"The cost." max:"200" json:"costs"`
}

// PatternRows returns the names of the patterns that the documents describe, in their
// order. The slice is the caller's.
func PatternRows() []string {
	return []string{
		"intra-partition secondary index", "inter-partition secondary index", "eventually consistent transactions",
		"index entities", "denormalization", "summary entity", "compound key", "log tail", "high volume delete",
		"data series", "wide entities", "large entities", "prepend/append anti-pattern", "log data anti-pattern",
		"two dominant queries", "one-to-many", "one-to-one", "inheritance", "bank transactions",
		"heterogeneous types", "client-side join", "parallel queries", "shared access signatures",
		"client-side encryption", "checklist",
	}
}

// Obstacle is what keeps one design from serving a scenario that others serve.
type Obstacle struct {
	// Operation is the one that the design cannot serve; where it is nothing of an
	// operation, the phase, or the part of the scenario.
	Operation string
	// Why says what is wrong, and what was expected.
	Why string
}

// ParseContested reads a scenario as [Parse] does, but for what is wrong with it under
// the design in use and not under all of them: that is for [Scenario.Obstacles]. The
// error is [fields.Faults].
func ParseContested(file string, text []byte) (*Scenario, error) {
	tree, faults := fields.ReadTree(file, text)
	if len(faults) > 0 {
		return nil, faults.ErrorOrNil()
	}
	s, faults := decode(tree)
	if len(faults) > 0 {
		return nil, append(faults, s.check(faults)...).ErrorOrNil()
	}
	return s, s.Shared()
}

// Shared returns what is wrong with the scenario whichever of its designs is used, nil
// where nothing is. The error is [fields.Faults].
func (s *Scenario) Shared() error {
	own := s.checkedWith("")
	if own.Concern("use") {
		return own.ErrorOrNil()
	}
	for _, name := range s.Alternatives() {
		other := s.checkedWith(name)
		own = slices.DeleteFunc(own, func(f fields.Fault) bool {
			// It is the same one wherever the values came from.
			return !slices.ContainsFunc(other, func(one fields.Fault) bool { return one.Path == f.Path && one.What == f.What })
		})
	}
	return own.ErrorOrNil()
}

// WithDesign returns the scenario with another of its designs in use, that in use where it is
// not named, and without an anti-pattern, which need not be one under every design. It is
// not validated. The error is [fields.Faults].
func (s *Scenario) WithDesign(design string) (*Scenario, error) {
	other := *s
	other.AntiPattern = nil
	if design == "" {
		return &other, nil
	}
	return &other, other.Set("use", design)
}

// Obstacles returns what keeps a design of the scenario from serving it, in the order
// of the file; none where nothing does. What is wrong under all designs is for
// [Scenario.Shared].
func (s *Scenario) Obstacles(design string) []Obstacle { return s.ObstaclesOf(s.checkedWith(design)) }

// ObstaclesOf returns faults of the scenario under one design as obstacles.
func (s *Scenario) ObstaclesOf(faults fields.Faults) []Obstacle {
	position := func(steps []string, i int) int {
		if i < len(steps) {
			if n, err := strconv.Atoi(steps[i]); err == nil {
				return n
			}
		}
		return -1
	}
	var list []Obstacle
	for _, fault := range faults {
		steps := strings.Split(fault.Path, ".")
		one := Obstacle{steps[0], fault.What}
		if phase := position(steps, 1); steps[0] == "phases" && phase >= 0 && phase < len(s.Phases) {
			one.Operation = s.Phases[phase].Name
			operations := s.Phases[phase].Operations()
			if i := position(steps, 4); i >= 0 && i < len(operations) && steps[3] == "operations" {
				one.Operation = operations[i].Name
			}
		}
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// checkedWith returns what is wrong with the scenario under one design, that in use where
// it is not named.
func (s *Scenario) checkedWith(design string) fields.Faults {
	other, err := s.WithDesign(design)
	if faults, at := err.(fields.Faults); at {
		return faults
	}
	read, faults := decode(other.encode())
	return append(faults, read.check(faults)...).Sorted()
}
