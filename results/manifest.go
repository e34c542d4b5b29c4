package results

import "time"

// SchemaVersion is the version of the record's files. A reader refuses any
// other.
const SchemaVersion = 2

// OwnServices is what the stand-ins of a manifest have for services of the application's
// own, such as a broker or a proxy: no target has them.
const OwnServices = "own services"

// Manifest says what was run, on what, and how to run it again. It holds no
// secret.
type Manifest struct {
	Tool    Tool     `json:"tool"`
	Command []string `json:"command"`
	// Labels are what the user said of the run, such as commit.
	Labels   map[string]string `json:"labels,omitempty"`
	Scenario Scenario          `json:"scenario"`
	// Target is [Embedded], [InProcess], or the address of another service.
	Target string `json:"target" merge:"same"`
	// Tables are those that the run makes at a remote target, in each account, and drops at
	// its end: one that is killed may leave them.
	Tables []string `json:"tables,omitempty"`
	// Accounts is how many storage accounts the load is sharded over, each with the
	// target of one; 0, like 1, is one.
	Accounts int `json:"accounts,omitempty" merge:"same"`
	// Service is what a remote target calls itself, empty where it does not say or is
	// ours. Genuine says that it is the table service, Emulator that it imitates it, with
	// Targets for limits where LimitsKnown; what is neither does not say what it is.
	Service     string `json:"service,omitempty" merge:"same"`
	Genuine     bool   `json:"genuine,omitempty" merge:"same"`
	Emulator    bool   `json:"emulator,omitempty" merge:"same"`
	LimitsKnown bool   `json:"limits_known,omitempty" merge:"same"`
	// StandIns are what the run used beside its tables and had in memory in the place
	// of the real services: "queue", "blobs", [OwnServices].
	StandIns []string `json:"stand_ins,omitempty" merge:"same"`
	// Budget is the number of billed transactions that the run may make, 0 for
	// any.
	Budget int64 `json:"budget_transactions,omitempty" merge:"sum"`
	// Start is "warm" or "cold", Profile the partition model's; both are empty
	// for a remote target.
	Start   string `json:"start" merge:"same"`
	Profile string `json:"profile" merge:"same"`
	Seed    uint64 `json:"seed"`
	// Retry names the policy of the measured operations.
	Retry string `json:"retry" merge:"same"`
	// Started is the wall time of the run's instant zero, in UTC.
	Started time.Time `json:"started"`
	// Time is "real" or "virtual".
	Time string `json:"time" merge:"same"`
	// Driver is "vegeta" where that sent the load, empty where this tool's own did.
	Driver string `json:"driver,omitempty" merge:"same"`
	// Client is what sent requests to a remote target, "native" or "net/http", and Proxy host and
	// port of the proxy that they went by; both are empty otherwise.
	Client string `json:"client,omitempty" merge:"same"`
	Proxy  string `json:"proxy,omitempty"`
	// PartitionKey is the partition that the run is aimed at, empty for none.
	PartitionKey string `json:"partition_key" merge:"same"`
	// Spread is the load on several partitions, nil for none.
	Spread *Spread `json:"spread,omitempty" merge:"each"`
	// Dataless says that writes were answered without storing anything.
	Dataless bool `json:"dataless,omitempty" merge:"same"`
	// PeakAsked is the rate in operations per second whose holding was asked
	// for, 0 for none.
	PeakAsked float64 `json:"peak_asked,omitempty" merge:"sum"`
	// Checks are the claims of the scenario, in the syntax of package figure.
	Checks []string `json:"checks,omitempty" merge:"same"`
	// SpreadOver is the second or minute over which arrivals of a file with the same timestamp
	// were spread evenly, 0 where none were.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty" merge:"same"`
	// InputNotes are sentences about what was assumed or left out of files of rows and traces.
	InputNotes []string `json:"input_notes,omitempty" merge:"same"`
	// Faults are what goes wrong on purpose, a line for each rule.
	Faults []string `json:"faults,omitempty" merge:"same"`
	// AntiPattern is what the run does wrong on purpose, empty unless it is the anti-pattern
	// of the scenario that it is called after.
	AntiPattern string `json:"anti_pattern,omitempty" merge:"same"`
	// Example is what the scenario shows, nil where it warns of nothing.
	Example *Example `json:"example,omitempty"`
	// Targets are the rates that the model holds partitions and accounts to.
	Targets Targets `json:"targets" merge:"same"`
	// Model lists every parameter of the partition model.
	Model []Parameter `json:"model" merge:"same"`
	// Operations are the kinds of operation, in the order of the reports.
	Operations  []Kind      `json:"operations" merge:"same"`
	Environment Environment `json:"environment" merge:"each"`
	// Merged says of which runs the record was put together, nil for that of one run.
	Merged *Merged `json:"merged,omitempty"`
	// Fleet says which processes offered the load together, nil for one.
	Fleet *Fleet `json:"fleet,omitempty"`
}

// Fleet is of several processes that offered the load together, each its share.
type Fleet struct {
	Members []FleetMember `json:"members"`
	// Labels are what the members of a label came to together, none where none has a label.
	Labels []FleetLabel `json:"labels"`
	// Skew is the greatest difference of the instants at which two members began.
	Skew time.Duration `json:"skew_ns"`
	// Notes is what else there is to say of how they fared.
	Notes []string `json:"notes"`
}

// FleetMember is a process and its share: of N the operations k with k mod N = Index.
type FleetMember struct {
	Name   string            `json:"name"`
	Index  int               `json:"index"`
	Labels map[string]string `json:"labels,omitempty"`
	// Planned is how many operations the plan has for it, nil where that is known only
	// afterwards.
	Planned *int64 `json:"planned_operations"`
	Counts
	// LagP99 is how late it sent its operations.
	LagP99 *time.Duration `json:"lag_p99_ns"`
	// ClockBound is within what its clock is known against the leader's, ClockDrift how far it
	// moved during the run.
	ClockBound time.Duration `json:"clock_bound_ns"`
	ClockDrift time.Duration `json:"clock_drift_ns"`
	// BeganLate is how long after the agreed instant it began, nil where it did not say.
	BeganLate *time.Duration `json:"began_late_ns"`
	// Stall is the longest that its process stood still in a second, CPU what of its processors
	// it used, nil where nobody knows.
	Stall time.Duration `json:"stall_ns"`
	CPU   *float64      `json:"cpu_share"`
	// Lost is why there is no record of its share, empty where there is one.
	Lost string `json:"lost,omitempty"`
}

// memberLayout is what a record holds of a member.
var memberLayout = LayoutOf[FleetMember]("name index labels planned_operations scheduled dropped attempts throttled failed lag_p99_ns " +
	"clock_bound_ns clock_drift_ns began_late_ns stall_ns cpu_share lost")

// MarshalJSON implements json.Marshaler.
func (m FleetMember) MarshalJSON() ([]byte, error) { return memberLayout.Encode(m) }

// MemberState is what a member of a fleet does.
type MemberState string

// The states of a member, in their order. A lost one never comes back.
const (
	MemberJoined  MemberState = "joined"
	MemberReady   MemberState = "ready"
	MemberSending MemberState = "sending"
	MemberEnded   MemberState = "handed in"
	MemberLost    MemberState = "lost"
)

// FleetLabel is what the members of one label came to together.
type FleetLabel struct {
	Label   string `json:"label"`
	Value   string `json:"value"`
	Members int    `json:"members"`
	// Throughput, Throttled, ShareLost, P50 and P99 are figures of those names.
	Throughput *float64 `json:"throughput"`
	Throttled  *float64 `json:"share_throttled"`
	ShareLost  *float64 `json:"share_lost"`
	P50        *float64 `json:"p50_ns"`
	P99        *float64 `json:"p99_ns"`
}

// Merged is of what a record was put together, and what it cannot tell for that reason.
type Merged struct {
	Runs  []MergedRun `json:"runs"`
	Notes []string    `json:"notes"`
}

// MergedRun is a run that is part of a record.
type MergedRun struct {
	// Name is that of its folder.
	Name     string    `json:"name"`
	Tool     Tool      `json:"tool"`
	SHA256   string    `json:"scenario_sha256"`
	Seed     uint64    `json:"seed"`
	Started  time.Time `json:"started"`
	Validity string    `json:"validity"`
	Attempts int64     `json:"attempts"`
}

// Example is what a scenario shows: what it is about, and by what its anti-pattern does wrong,
// which of the scenario's checks that promises to fail, and why. Where Fails is empty any of
// them is to fail.
type Example struct {
	Shows string   `json:"shows"`
	Wrong string   `json:"wrong"`
	Why   string   `json:"why,omitempty"`
	Fails []string `json:"fails,omitempty"`
}

// The targets whose limits and times are modelled: the embedded engine behind a
// socket of this machine, and the same engine called directly.
const (
	Embedded  = "embedded"
	InProcess = "in-process"
)

// Logged stands for the target of a record that was made of the log of a service.
const Logged = "log"

// Modelled reports whether the target's limits and times are those of a model,
// rather than of a service that somebody runs.
func (m *Manifest) Modelled() bool { return m.Target == Embedded || m.Target == InProcess }

// Tool identifies the build that ran.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

// Scenario identifies what was run: SHA256 is of Text, the scenario with every
// override applied.
type Scenario struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// Targets are rates in entities per second; 0 is no limit.
type Targets struct {
	Partition int64 `json:"partition_entities_per_second" merge:"sum"`
	Account   int64 `json:"account_entities_per_second" merge:"sum"`
	// Documented says that both are the documents' own.
	Documented bool `json:"documented"`
}

// Parameter is one number of the partition model as it was used.
type Parameter struct {
	Name       string `json:"name"`
	Value      string `json:"value"`
	Unit       string `json:"unit"`
	Provenance string `json:"provenance"`
	About      string `json:"about"`
}

// Kind is a kind of operation. Group is the table of the report that it is
// shown in: GET, PUT, or empty for preparation.
type Kind struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Filtered says that some of it are queries that return only a part of the
	// entities that they scan.
	Filtered bool `json:"filtered,omitempty"`
	// Retry is the operation's own back-off policy, empty where it has that of the run.
	Retry string `json:"retry,omitempty"`
	// Limit is the rate limit of its attempts, such as 500/s, burst 50; empty for none.
	Limit string `json:"limit,omitempty"`
}

// Environment is what the run had to work with.
type Environment struct {
	CPUs       int `json:"cpus" merge:"sum"`
	GOMAXPROCS int `json:"gomaxprocs" merge:"sum"`
	Workers    int `json:"workers" merge:"sum"`
}
