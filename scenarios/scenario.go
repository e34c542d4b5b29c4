package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// Scenario is one load test: what the table holds, how its keys are formed, and
// which phases run on it. It is a plain value. Its methods other than
// [Scenario.Set] do not change it and may be called concurrently.
type Scenario struct {
	_ struct{} `object:"a scenario" either:"design,designs"`
	// Name is what reports and run folders call the scenario: a letter, then
	// letters, digits, '_' or '-', at most 64 in all.
	Name string `yaml:"name,required" says:"The scenario's name." form:"name"`
	// About says what the scenario teaches.
	About string `yaml:"about" says:"The scenario's lesson." max:"10000"`
	// Pattern is the design pattern of the documents that the scenario shows, nil for
	// none; what it replaces is the AntiPattern.
	Pattern *Pattern `yaml:"pattern" says:"The documented design pattern shown."`
	// Seed is the root of all chance.
	Seed uint64 `yaml:"seed,default=1" says:"Determines all random entities, operations and waits."`
	// Table is the base name of the test table, to which the tool appends a
	// suffix of its own: 3 to 40 letters and digits, a letter first.
	Table string `yaml:"table,default=loadgen" says:"Base name of the test table; runs add a suffix." form:"table"`
	// Start is how the table's ranges lie on the partition servers when the
	// test begins: [StartWarm] or [StartCold].
	Start string `yaml:"start,default=warm" says:"Initial ranges: spread over many servers (warm), or one range (cold)." choice:"warm,cold"`
	// Retry is the back-off policy for throttled attempts, the name of one or the text of a
	// formula, as [loadgen/backoff.ByName] knows it.
	Retry string `yaml:"retry,default=short" says:"How throttled attempts are retried." form:"retry"`
	// Workers is how many operations can be in flight at once, 1 to 100,000; 0 is as
	// many as the place can have where the scenario runs, [MinWorkers] or more.
	Workers int `yaml:"workers,omitempty" says:"Maximum concurrent operations, waits for retries excluded; thousands by default." range:"1..100000"`
	// Model is the partition model of an embedded run.
	Model Model `yaml:"model" says:"Partition model: a profile with changed parameters."`
	// Faults are what goes wrong on purpose while operations are offered: rules of a
	// plan, whose windows count from the beginning of the first phase that offers any.
	Faults []engine.FaultRule `yaml:"faults" says:"Faults injected while operations are offered." form:"faults"`
	// Accounts are the storage accounts that the load is sharded over, nil for one.
	Accounts *Accounts `yaml:"accounts" says:"Storage accounts that share the load."`
	// Client is how clients send, nil for as this tool does.
	Client *Client `yaml:"client" says:"How clients send their requests."`
	// Attributes are the facts that keys and properties are formed from, in the
	// order of the file.
	Attributes []keys.Attribute `yaml:"attributes" says:"Random attributes of each entity, for keys and properties." form:"attributes"`
	// Rows are the rows of a file, nil for none; the columns of them that are drawn are
	// attributes as well, behind those of the file.
	Rows *Rows `yaml:"rows" says:"A file's rows as entities, with its columns as attributes."`
	// Entity is the shape of each entity.
	Entity Entity `yaml:"entity" says:"Shape of entities."`
	// Use names the design in use of Designs; empty if there are none.
	Use string `yaml:"use,omitempty" says:"The design in use; the first by default." form:"name"`
	// Design is how the keys are formed: the only design, or the one in use.
	Design Design `yaml:"design,own" says:"Key templates."`
	// Designs are several ways to form the keys; none where the scenario has a single one.
	Designs []Design `yaml:"designs" says:"Alternative designs, one per run." list:"1..50 designs"`
	// Phases run one after another.
	Phases []Phase `yaml:"phases,required" says:"The phases, in order." list:"1..100 phases"`
	// Expect are the claims that every valid run of the scenario must satisfy, each a text
	// that [loadgen/results/figure.ParseClaim] takes, such as "p99(get) < 20ms".
	Expect []string `yaml:"expect" says:"Checks of every valid run, such as p99(get) < 20ms or throttled < 1%." list:"0..50 checks, such as p99(get) < 20ms" max:"2000"`
	// Gate is by what live runs are compared with those of another build, nil for the
	// default of [Scenario.Gated].
	Gate *Gate `yaml:"gate" says:"How live runs of two builds are compared."`
	// Verify has every write of the measured phases carry an id, and what was
	// acknowledged be read back at the end.
	Verify bool `yaml:"verify,omitempty" says:"Whether writes carry ids and are read back at the end."`
	// AntiPattern turns an example into what it warns of, nil for none.
	AntiPattern *AntiPattern `yaml:"anti_pattern,was=opposite" says:"Values that turn the example into an anti-pattern."`

	// places says where each value came from, for the faults that depend on
	// several of them.
	places fields.Places
}

// The ways a test can start.
const (
	// StartWarm: the ranges are spread so that no partition server binds; only
	// the limits of a key and of an account do.
	StartWarm = "warm"
	// StartCold: one range on one server for a new table, which load balancing
	// then splits and moves.
	StartCold = "cold"
)

// Model chooses the parameters of the embedded engine's partition model.
type Model struct {
	// Profile names the set to start from, as [loadgen/engine/model.New] knows it.
	Profile string
	// Measured are values that were measured at a service, nil for none.
	Measured *Measured
	// Overrides change single parameters, in the order of the file, also of those that were
	// measured.
	Overrides []Override
}

// Override gives one parameter another value.
type Override struct {
	// Name is the parameter's, as [loadgen/engine/model.Model.Set] knows it; Text is its value
	// as typed.
	Name, Text string
}

// Entity is the shape of each entity.
type Entity struct {
	_ struct{} `object:"entity"`
	// Size is what Filler pads each entity to, in bytes by [loadgen/engine/entity.Size]: at
	// most 1 MiB.
	Size int `yaml:"size,own,default=1024" says:"Entity size in bytes, or a distribution; the filler pads."`
	// Sizes, where set, are those of the entities by their distribution, and Size is
	// the greatest.
	Sizes keys.SizeDistribution
	// Filler names the String property of incompressible text that pads the
	// entity. Without a name there is none, and Size does not count.
	Filler string `yaml:"filler,default=Filler" says:"Random text property that pads to size; empty for none." max:"255"`
	// Properties are stored in this order.
	Properties []PropertySpec `yaml:"properties" says:"Properties, in stored order." list:"0..252 properties"`
}

// PropertySpec is one property of an entity.
type PropertySpec struct {
	_    struct{} `object:"a property"`
	Name string   `yaml:"name,required" says:"The property's name." max:"255"`
	// Type is String, Boolean, Int32, Int64, Double or DateTime.
	Type string `yaml:"type,default=String" says:"The property's type." form:"type"`
	// Value is a template; its text is read as the type.
	Value string `yaml:"value,required" says:"Template of text and attributes in braces, read as the type."`
}

// RetryAll has all operations be tried again by one policy, also those that have one of their
// own. Copies of the scenario keep theirs.
func (s *Scenario) RetryAll(policy string) {
	s.Retry = policy
	own := func(o OperationSpec) bool { return o.Retry != "" }
	s.Phases = slices.Clone(s.Phases)
	for i := range s.Phases {
		p := &s.Phases[i]
		if !slices.ContainsFunc(p.Operations(), own) {
			continue
		}
		traffic := *p.Traffic
		traffic.Operations = slices.Clone(traffic.Operations)
		for j := range traffic.Operations {
			traffic.Operations[j].Retry = ""
		}
		p.Traffic = &traffic
	}
}

// blank returns a scenario with the defaults, as a file that leaves everything
// out would have it.
func blank() *Scenario {
	s := &Scenario{Model: Model{Profile: model.Documented}}
	binder().Fresh(s)
	return s
}

// Contents says in one line what the scenario holds.
func (s *Scenario) Contents() string {
	designs := counted(max(1, len(s.Designs)), "design")
	if len(s.Designs) > 0 {
		designs += " (" + s.Use + " in use)"
	}
	phases := nearest.NamesOf(s.Phases, func(p Phase) string { return p.Name })
	return fmt.Sprintf("%s has %s, %s, %s (%s), %s", s.Name, counted(len(s.Attributes), "attribute"), designs,
		counted(len(phases), "phase"), strings.Join(phases, ", "), counted(len(s.Expect), "check"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ErrUnknown is wrapped by the error for a built-in scenario that does not
// exist.
var ErrUnknown = errors.New("scenarios: unknown scenario")

// unknownName is what is wrong with a name, in words of its own.
type unknownName string

func (u unknownName) Error() string { return "scenarios: " + string(u) }

// Is implements errors.Is: it is [ErrUnknown].
func (u unknownName) Is(other error) bool { return other == ErrUnknown }

// ErrNoPartition is wrapped by the error for a PartitionKey that a scenario's
// load does not yield.
var ErrNoPartition = errors.New("scenarios: no such partition")

// SchemaFile is the name of the schema's file next to a scenario, and
// SchemaHeader the first line of a scenario that has an editor look there. The
// path is relative, so that a folder can be moved or checked in as it is: the code that
// writes the header writes the file next to it, with what [Schema] returns.
const (
	SchemaFile   = "scenario.schema.json"
	SchemaHeader = "# yaml-language-server: $schema=" + SchemaFile
)

// Schema returns the scenario format as a JSON Schema (draft 2020-12), made of the
// same bindings that read a file. It accepts every scenario that [Parse] accepts,
// and refuses unknown and missing fields, values of the wrong kind and numbers out
// of bounds. What follows from several values together, from the text of a template
// or from how a value is typed is left to [Parse]. The bytes are the caller's and
// always the same.
func Schema() []byte {
	root := bind(blank()).Schema()
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "urn:loadgen:scenario"
	root.Title = "loadgen scenario"
	root.Description = "A load test of one table: data, keys and phases."
	return fields.JSONText(root.Defined())
}
